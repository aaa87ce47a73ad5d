"""From rows to a learned kernel: candidates, starts, stages, comparison, growth."""
