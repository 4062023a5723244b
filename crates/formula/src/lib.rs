//! Properties as text and as a small core language: predicates, CTL, languages of runs, property files.
//!
//! The way of a property, each arrow one module:
//!
//! ```text
//! text --lex--> tokens --parse--> syntax --lower(names of a trace)--> core --classify--> class
//! ```
//!
//! [`Property`] and [`PropertyFile`] read text, [`lower()`] resolves names and reduces everything
//! to the few shapes of [`mod@core`] and [`linear`], [`mod@print`] writes both languages back, and [`classify`]
//! says what an engine may rely on. The crate does no input or output and knows no trace: it sees
//! one through the trait [`Names`].
//!
//! ```
//! use causet_formula::{Kind, Property};
//!
//! let property = Property::parse(Kind::Ctl, "mutex", "AG !(p1.crit and p2.crit)");
//! assert_eq!(property.unwrap().syntax().unwrap().to_string(), "AG !(p1.crit && p2.crit)");
//!
//! let errors = Property::parse(Kind::Ctl, "slips", "AG (x => y").unwrap_err();
//! assert_eq!(errors[0].message, "this `(` is never closed");
//! assert_eq!(errors[1].help.as_deref(), Some("implication is written `->`"));
//! ```

pub mod action;
pub mod automaton;
pub mod classify;
pub mod core;
pub mod fold;
mod infer;
mod lex;
pub mod linear;
pub mod lower;
pub mod modal;
pub mod mu;
pub mod names;
mod parse;
pub mod print;
pub mod property;
pub mod syntax;

pub use causet_base::{Number, Span, Value, ValueType};

pub use crate::action::Action;
pub use crate::automaton::{AtomGuard, OutsideAutomaton};
pub use crate::core::{ArithOp, CmpOp, Ctl, Equations, EventAtom, Expr, Pred};
pub use crate::fold::Subterm;
pub use crate::linear::{Edge, Hit, Language, Ltl, Machine, MachineForm, Regular, Runs};
pub use crate::lower::{
    Instance, LeftOut, Lowered, ProcessDependence, Template, lower, lower_lazily,
};
pub use crate::modal::Modal;
pub use crate::names::{Names, ProcRef, VarRef, VariableName};
pub use crate::property::{Kind, Lets, Property, PropertyFile};
pub use crate::syntax::Quantifier;
