"""What remains of a fit: predictions of the latent function, for rows that come and go."""
