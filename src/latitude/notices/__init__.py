"""What the user should know about a result that stands."""
