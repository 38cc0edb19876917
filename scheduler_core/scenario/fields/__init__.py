"""Field tables: the fields of each kind of document and their types."""
