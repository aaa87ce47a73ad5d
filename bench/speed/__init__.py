"""Speed and memory as ratios to a rival or to BLAS, each measured in one run; `python -m bench.speed`."""
