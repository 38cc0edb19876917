"""Pages that answer "and if ...?": two runs compared, how many fit."""
