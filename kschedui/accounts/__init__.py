"""Accounts: tokens for scripts, and single sign-on."""
