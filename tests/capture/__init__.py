"""Capturing what an agent does: change log, before-images, recorder, and what a plan is told about it."""
