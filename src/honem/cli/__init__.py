"""The command line: one module per command."""

from honem.cli.main import main

__all__ = ["main"]
