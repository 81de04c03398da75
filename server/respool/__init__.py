"""Respool: go back to an earlier message of a conversation with a coding agent, files included."""

__version__ = "0.1.0"
