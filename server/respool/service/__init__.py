"""Use cases, one file each; they get their adapters by injection."""
