//! What every crate shares: ids, exact numbers, spans, the nearest name, budgets.
//!
//! Each module stands alone. This crate knows neither runs nor formulas, and does no input or output.

pub mod budget;
pub mod codes;
pub mod diagnostic;
pub mod ids;
pub mod nearest;
pub mod number;
pub mod span;

pub use budget::{Budget, Endless, Meter, Spent};
pub use codes::Code;
pub use diagnostic::{Diagnostic, Severity};
pub use ids::{EventId, MessageId, Place, ProcessId, TextId, VarId};
pub use nearest::nearest;
pub use number::Number;
pub use span::Span;
