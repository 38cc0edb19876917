"""Numbers with their nouns, as in "1 node" and "2,000 nodes"."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return the number and the noun, in the plural (by default with s) unless the number is 1."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
