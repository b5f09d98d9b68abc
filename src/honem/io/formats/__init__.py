"""Every way out: vectors, networks and rules, in the formats of other tools; each can be read back to what it was."""
