"""`honem`, and `python -m honem`. Ctrl-C ends both cleanly, also while modules are still loading."""

import sys

INTERRUPTED = 130


def main() -> int:
    """Run one command; -> the exit code."""
    try:
        from honem.cli import main as run

        return run()
    except KeyboardInterrupt:
        print("honem: interrupted", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
