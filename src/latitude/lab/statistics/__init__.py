"""Estimators that only the lab uses."""
