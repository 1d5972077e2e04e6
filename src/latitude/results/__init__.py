"""What commands find: declared once; JSON, schemas, data frames and CSV follow."""
