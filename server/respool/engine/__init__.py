"""The rewind core: plan, restore, apply, publish, repair. No I/O; it states its ports."""
