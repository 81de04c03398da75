"""Adapters that keep things: files and SQL."""
