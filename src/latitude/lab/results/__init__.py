"""What the lab's commands find."""
