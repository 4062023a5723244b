//! What every crate shares: ids, exact numbers, values, spans, the nearest name, budgets.
//!
//! Each module stands alone. This crate knows neither runs nor formulas, and does no input or output.

pub mod budget;
pub mod ids;
pub mod nearest;
pub mod number;
pub mod span;
pub mod value;

pub use budget::{Budget, Endless, Meter, Spent};
pub use ids::{EventId, MessageId, Place, ProcessId, TextId, VarId};
pub use nearest::nearest;
pub use number::Number;
pub use span::Span;
pub use value::{Value, ValueType};
