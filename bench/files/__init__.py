"""Model files: damage, forgery and fuzzing of what `alakarte.load` reads."""
