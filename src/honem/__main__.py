"""`python -m honem`."""

import sys

from honem.cli import main

sys.exit(main())
