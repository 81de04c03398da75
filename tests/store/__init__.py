"""What the store holds, and letting go of it."""
