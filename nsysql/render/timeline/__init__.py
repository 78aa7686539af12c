"""A timeline as text for the terminal and as SVG, and the colors of all its pictures."""
