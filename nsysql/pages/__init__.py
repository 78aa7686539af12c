"""What a person reads: frames collected into a page as data."""
