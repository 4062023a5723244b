//! Symbolic exploration of a run with a monitor (paper TMP).
