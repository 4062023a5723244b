//! The mathematics that knows no trace: state spaces, budgets and the solvers over them.
