"""PathLike: what users may give as the name of a file or folder."""

from __future__ import annotations

import os
from typing import TypeAlias

PathLike: TypeAlias = str | os.PathLike[str]
