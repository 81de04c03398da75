"""Doors: command line, language server, browser host. The only code that knows wire formats."""
