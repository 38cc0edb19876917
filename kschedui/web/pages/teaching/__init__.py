"""Classes, courses, challenges, the speaker view, handouts."""
