"""From frequencies to columns of cosines and sines, and derivatives back."""
