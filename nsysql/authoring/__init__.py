"""For people who write queries: check and stubs."""
