"""The quality of predictions: scores with intervals, groups of rows, thresholds and costs."""
