"""Series and images continued beyond their rows, beside peers that know the lattice or the period."""
