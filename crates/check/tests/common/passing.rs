//! What tests need that let the lines of a run pass, all at once or as they arrive.

use causet_formats::native;
use causet_formula::{Kind, Property};
use causet_trace::Trace;

use super::Maker;
use super::asked::Taste;

/// The property that a text is.
pub(crate) fn property(kind: Kind, text: &str) -> Property {
    Property::parse(kind, "p", text).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// Properties of runs, and predicates that some or all of them reach.
pub(crate) fn some_properties(maker: &mut Maker<'_>, taste: Taste) -> Vec<Property> {
    let mut properties = Vec::new();
    for _ in 0..4 {
        let asked = maker.asked(taste);
        properties.push(property(asked.kind, &asked.text));
    }
    for kind in [Kind::Possibly, Kind::Definitely] {
        let (text, _) = maker.predicate(2);
        properties.push(property(kind, &text));
    }
    properties
}

/// The lines of a run.
pub(crate) fn text_of(trace: &Trace) -> String {
    let mut bytes = Vec::new();
    native::write(trace, &mut bytes).expect("memory can be written");
    String::from_utf8(bytes).expect("the format is text")
}
