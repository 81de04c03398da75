"""Adapters to running agents and their tasks."""
