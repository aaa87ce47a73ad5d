"""Classes, counts and outliers beside peers: running them, and the table made of the lines that runs leave."""
