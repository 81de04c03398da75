"""Tests of the panel and its host, over services in memory; of its JavaScript in `*.test.mjs`."""
