"""The slowest possible reading of a Wave transcript: what the product must agree with."""
