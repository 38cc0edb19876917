"""Classes, courses, the speaker's view, printed pages."""
