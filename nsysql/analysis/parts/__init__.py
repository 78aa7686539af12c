"""Parts of a capture: start-up, steady steps and the rest, and the facts about each that findings are made from."""
