"""Tuning: choose how rules become vectors by what predicts held-out edges of the same data."""

from honem.tuning.family import Member, family
from honem.tuning.report import Trial, Tuning
from honem.tuning.tuner import TuneFor, tune

__all__ = ["Member", "Trial", "TuneFor", "Tuning", "family", "tune"]
