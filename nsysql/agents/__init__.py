"""Answer questions of programs with bounded JSON that has keys to cite, over the Model Context Protocol."""
