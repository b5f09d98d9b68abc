"""The type of the fixture `run`."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

Run = Callable[..., "subprocess.CompletedProcess[str]"]
