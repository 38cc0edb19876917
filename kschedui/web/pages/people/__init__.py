"""Accounts: signing in, what an account has, with whom it shares."""
