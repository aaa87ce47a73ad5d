"""What was learned, for people: text. Reads public results only."""
