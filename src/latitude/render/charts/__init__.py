"""What charts are made of."""
