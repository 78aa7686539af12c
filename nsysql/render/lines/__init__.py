"""The page about lines as HTML."""
