//! Diagrams against sets of points one by one, under pressure, and against the clock.

mod operations;
mod pressure;
mod speed;
mod support;
