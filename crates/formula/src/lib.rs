//! Properties as text and as a small core language: predicates, CTL, property files.
