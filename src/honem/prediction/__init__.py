"""Predict the next node of a path from rules."""

from honem.prediction.next_step import NextNode, NextStep, Prediction, StepScores, predict_next

__all__ = ["NextNode", "NextStep", "Prediction", "StepScores", "predict_next"]
