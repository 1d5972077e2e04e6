"""SimGrid SMPI as an independent network to compare predictions with."""
