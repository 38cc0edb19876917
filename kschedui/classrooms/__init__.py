"""A class: a teacher shows a run to everyone with the class code, for up to four hours."""
