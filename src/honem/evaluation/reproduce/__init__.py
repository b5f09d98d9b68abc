"""The paper's tables and figures, from whatever data there is: `honem evaluate` and `honem reproduce`."""
