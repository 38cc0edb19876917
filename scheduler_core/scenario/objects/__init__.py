"""Builds frozen objects from plain data, with a module for each family of kinds."""
