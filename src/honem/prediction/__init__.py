"""Predict the next node of a path."""

from honem.prediction.answers import Contribution, NextNode, Prediction
from honem.prediction.base import StepVectors
from honem.prediction.from_rules import RuleNextStep, predict_next
from honem.prediction.next_step import NextStep
from honem.prediction.predictions import Predictions
from honem.prediction.scoring import StepScores

__all__ = [
    "Contribution",
    "NextNode",
    "NextStep",
    "Prediction",
    "Predictions",
    "RuleNextStep",
    "StepScores",
    "StepVectors",
    "predict_next",
]
