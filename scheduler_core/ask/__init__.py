"""What if: changes of a scenario judged, compared and searched for, each by running what would have run."""
