"""Plain data to frozen objects, a module for each family of kinds."""
