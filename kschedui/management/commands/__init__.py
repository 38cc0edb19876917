"""The commands of `manage.py`, one per file."""
