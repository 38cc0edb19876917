"""Pages and downloads."""
