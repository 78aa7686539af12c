"""A flame graph as collapsed stacks, as JSON of speedscope, as SVG, and as HTML that zooms and searches."""
