"""Charts of steps and of comparisons as single pictures: `frame` is shared, the other modules draw one each."""
