"""The functions that expressions may call, by the library that has them."""
