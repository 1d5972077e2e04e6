"""Results of commands, declared once; JSON, schemas, data frames and CSV follow."""
