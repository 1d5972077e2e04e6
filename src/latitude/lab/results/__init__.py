"""Results of the lab's commands."""
