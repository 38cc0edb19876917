"""Arithmetic and counting that several plugins share."""
