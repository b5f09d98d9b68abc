"""The default engine: in memory, on all cores."""

from honem.rules.engines.local.engine import LocalEngine

__all__ = ["LocalEngine"]
