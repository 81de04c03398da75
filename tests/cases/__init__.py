"""The case samples, driven through the command line."""
