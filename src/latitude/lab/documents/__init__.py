"""The pages of the lab's results."""
