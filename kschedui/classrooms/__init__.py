"""A class: a run that a teacher shows to whoever has its code, for four hours."""
