"""Reading paths and tables, writing results, and the store."""
