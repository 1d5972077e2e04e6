"""One chart a module: results → figure with words."""
