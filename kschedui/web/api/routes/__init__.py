"""The API's operations, one file per resource."""
