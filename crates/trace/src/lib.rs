//! The recorded run as a partial order: events, clocks, cuts and the lattice they form.
