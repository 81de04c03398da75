"""The wire: shapes of results, the dispatcher, and the language server byte by byte."""
