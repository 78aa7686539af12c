"""Convert exports to other formats."""
