"""Why an attempt went as it did, with the numbers filled in."""
