"""View models and their rendering to HTML."""
