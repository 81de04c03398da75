"""The budgets of the design, measured side by side with a baseline in one run: ``python -m tests.bench``."""
