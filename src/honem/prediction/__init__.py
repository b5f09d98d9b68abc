"""From rules to a model of the next step."""

from honem.prediction.next_step import NextNode, NextStep, Prediction, StepScores, predict_next

__all__ = ["NextNode", "NextStep", "Prediction", "StepScores", "predict_next"]
