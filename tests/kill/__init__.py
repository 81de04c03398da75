"""Death, failure and company at every system call of an operation."""
