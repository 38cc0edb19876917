"""Websockets."""
