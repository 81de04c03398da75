"""Transcripts, blobs, locks and workspaces on a file system."""
