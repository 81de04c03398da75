"""Sessions recorded with the real Wave, driven through the command line."""
