"""`honem`, and `python -m honem`. Ctrl-C ends both cleanly, also while modules are still loading."""

import sys

from honem._internal.memory import require_memory

INTERRUPTED, NOT_ENOUGH_MEMORY = 130, 2
LIBRARIES = 1200 * 2**20
"""Address space of Python with NumPy, SciPy, Numba and Arrow; with less, one of them does not load."""


def main() -> int:
    """Run one command; -> the exit code."""
    try:
        require_memory(LIBRARIES, "loading honem")
        from honem.cli import main as run

        return run()
    except MemoryError as error:
        print(f"honem: error: not enough memory: {error}", file=sys.stderr)
        return NOT_ENOUGH_MEMORY
    except KeyboardInterrupt:
        print("honem: interrupted", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
