"""The journal in a SQL database."""
