"""What changed between two sides of captures."""
