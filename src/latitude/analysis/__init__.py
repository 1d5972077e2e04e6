"""Questions about an execution graph, and their answers."""
