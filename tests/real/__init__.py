"""The real Claude Code with our hooks, sealed from the network, against a model server of ours."""
