"""The Gaussian process: from a parameter vector to the evidence and its gradient."""
