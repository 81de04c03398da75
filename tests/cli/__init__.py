"""The command line as a person meets it: words, keys and the demo."""
