"""The API's operations, a file for each thing that they are about."""
