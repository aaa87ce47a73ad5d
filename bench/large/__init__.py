"""Large tables beside peers: running them, and the table and figure made of the lines that runs leave."""
