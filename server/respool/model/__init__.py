"""Values and their laws; imported by every layer, imports none."""
