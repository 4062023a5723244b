//! Diagrams against sets of points one by one, and under pressure.

mod operations;
mod pressure;
mod support;
