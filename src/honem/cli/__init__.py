"""The command line: parse, call, write."""

from honem.cli.main import main

__all__ = ["main"]
