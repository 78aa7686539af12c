"""The summary: a first screen of parts and findings; behind --all what was captured and what ran, as tables."""
