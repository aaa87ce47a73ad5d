"""scikit-learn's side: checks, the estimators, scorers."""
