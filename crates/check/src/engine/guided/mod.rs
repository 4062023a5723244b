//! Exploration of a run level by level with an automaton (thesis, chapters 4, 6 and 7).
