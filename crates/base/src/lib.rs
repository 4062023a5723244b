//! What every crate shares: ids, exact numbers, values, spans, the nearest name, budgets,
//! blocks of whole lines, and work in the order of its input.
//!
//! Each module stands alone. This crate knows neither runs nor formulas, and opens no files.

pub mod budget;
pub mod codes;
pub mod diagnostic;
pub mod ids;
pub mod in_order;
pub mod line_blocks;
pub mod nearest;
pub mod number;
pub mod span;
pub mod value;

pub use budget::{Budget, Endless, Meter, Spent};
pub use codes::Code;
pub use diagnostic::{Diagnostic, Severity};
pub use ids::{EventId, MessageId, Place, ProcessId, TextId, VarId};
pub use in_order::{Turn, in_order};
pub use nearest::nearest;
pub use number::Number;
pub use span::Span;
pub use value::{Value, ValueType};
