"""Accounts: login, the account's page, and sharing."""
