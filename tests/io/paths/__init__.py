"""Every way in, against readers and loops too plain to be wrong."""
