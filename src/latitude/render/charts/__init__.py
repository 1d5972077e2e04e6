"""Parts of charts."""
