"""Tests of what the panel shows."""
