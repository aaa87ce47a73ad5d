"""From rows to columns of cosines and sines: draws, projections, the feature map."""
