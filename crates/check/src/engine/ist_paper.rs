//! Not here yet.
use super::Finding;
use crate::project::Projection;
use causet_formula::core::Ctl;
use causet_solve::budget::{Budget, Spent};
pub(crate) fn supports(_: &Projection<'_>, _: &Ctl) -> Result<(), String> {
    Err("not here yet".to_owned())
}
pub(crate) fn run(_: &Projection<'_>, _: &Ctl, _: &Budget<'_>) -> Result<Finding, Spent> {
    Err(Spent::Memory)
}
