"""The questions asked of an execution graph."""
