"""What a fitted estimator keeps, and what others may read of it."""
