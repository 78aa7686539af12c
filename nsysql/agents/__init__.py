"""Answers for programs that ask: bounded JSON with keys to cite, over the Model Context Protocol."""
