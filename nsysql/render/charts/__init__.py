"""Steps, and two sides compared, as single pictures: `frame` is what both have, the others draw one of them each."""
