"""The base classes of the estimators, and how their parameters are checked and saved."""
