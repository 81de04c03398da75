"""Stores, where a case at the doors would not show what is meant."""
