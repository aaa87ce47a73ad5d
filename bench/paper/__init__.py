"""The paper's experiments: what is run, running it, and the table and figures made of the lines that runs leave."""
