"""A timeline as text for the terminal and as SVG, and the colours of all its pictures."""
