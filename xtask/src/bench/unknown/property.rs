//! A property of the sample: its text, and the questions about the recorded order alone that may decide it.

use super::formula::Formula;
use super::modal::Modal;

/// The logics of the sample, as reports name them.
pub(super) const LOGICS: [&str; 6] = ["ctl", "ltl", "possibly", "definitely", "monitor", "mu"];

/// A property file with a single property.
#[derive(Clone, Debug)]
pub(super) struct Property {
    pub(super) logic: &'static str,
    /// Whether it belongs to the protocol.
    pub(super) own: bool,
    /// Definitions and the property.
    pub(super) text: String,
    pub(super) questions: Vec<Question>,
}

/// A question about the run that has only the recorded order.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// A property file.
    pub(super) text: String,
    /// The answer that decides the property.
    pub(super) decisive: &'static str,
    /// The verdict of the property then.
    pub(super) verdict: &'static str,
}

/// A quantifier around a property.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quantifier {
    pub(super) forall: bool,
    /// The bound names and their range, such as `i in procs`.
    pub(super) range: &'static str,
}

impl Quantifier {
    fn text(self, forall: bool) -> String {
        let word = if forall { "forall" } else { "exists" };
        format!("{word} {}: ", self.range)
    }
}

/// The quantifier, unless the property does not name what it binds, and only the names that it uses.
fn used(quantifier: Option<Quantifier>, written: &str) -> Option<Quantifier> {
    let quantifier = quantifier?;
    let names = |name: &str| written.contains(&format!("{name}."));
    let range = match (names("i"), names("j")) {
        (true, true) => quantifier.range,
        (true, false) => "i in procs",
        (false, true) => "j in procs",
        (false, false) => return None,
    };
    Some(Quantifier {
        range,
        ..quantifier
    })
}

/// The quantifier as it is written, or for the negation of the property.
fn prefix(quantifier: Option<Quantifier>, negated: bool) -> String {
    quantifier.map_or_else(String::new, |quantifier| {
        quantifier.text(quantifier.forall != negated)
    })
}

impl Property {
    /// A formula of CTL or LTL, or the predicate of `possibly` or `definitely` with the temporal operator around it.
    pub(super) fn of_formula(
        logic: &'static str,
        quantifier: Option<Quantifier>,
        written: &str,
        meaning: &Formula,
    ) -> Property {
        let quantifier = used(quantifier, written);
        let text = format!(
            "property q: {logic} {}{written}\n",
            prefix(quantifier, false)
        );
        let sure = |wanted: bool, verdict| Question {
            text: format!(
                "property q: ctl {}{}\n",
                prefix(quantifier, !wanted),
                meaning.surely(wanted)
            ),
            decisive: "holds",
            verdict,
        };
        let mut questions = vec![sure(true, "holds"), sure(false, "violated")];
        if logic == "ltl" {
            questions[1] = violated_alone(&text);
        }
        Property {
            logic,
            own: false,
            text,
            questions,
        }
    }

    /// A formula of the mu-calculus.
    pub(super) fn of_modal(formula: &Modal) -> Property {
        let sure = |wanted, verdict| Question {
            text: format!("property q: mu {}\n", formula.surely(wanted)),
            decisive: "holds",
            verdict,
        };
        Property {
            logic: "mu",
            own: false,
            text: format!("property q: mu {}\n", formula.text(0)),
            questions: vec![sure(true, "holds"), sure(false, "violated")],
        }
    }

    /// A property that says something of all orders, and is broken if the recorded one breaks it.
    pub(super) fn of_all_orders(logic: &'static str, own: bool, text: String) -> Property {
        let questions = vec![violated_alone(&text)];
        Property {
            logic,
            own,
            text,
            questions,
        }
    }

    /// A property that some order satisfies, and the recorded one is enough.
    pub(super) fn of_some_order(logic: &'static str, text: String) -> Property {
        let question = Question {
            text: text.clone(),
            decisive: "holds",
            verdict: "holds",
        };
        Property {
            logic,
            own: false,
            text,
            questions: vec![question],
        }
    }
}

/// A property file in one line, without definitions and the name that all properties of the sample have.
pub(super) fn one_line(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("let "));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let line = words.join(" ");
    line.strip_prefix("property q: ")
        .unwrap_or(&line)
        .to_owned()
}

fn violated_alone(text: &str) -> Question {
    Question {
        text: text.to_owned(),
        decisive: "violated",
        verdict: "violated",
    }
}

/// The properties that come with a protocol. Each is `AG`, `G`, `W` or a monitor, and so speaks of all orders; what stands
/// to the right of a `W` is false at the initial cut.
pub(super) fn own_properties(file: &str) -> Vec<Property> {
    let (mut definitions, mut blocks) = (String::new(), Vec::new());
    let mut block = String::new();
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        if line.starts_with("let ") {
            definitions += &format!("{line}\n");
            continue;
        }
        block += &format!("{line}\n");
        let complete = line.starts_with("property ") || line == "}";
        if complete {
            blocks.push(std::mem::take(&mut block));
        }
    }
    let properties = blocks.iter().map(|block| {
        let logic = if block.contains("monitor ") {
            "monitor"
        } else if has_word(block, "ltl") {
            "ltl"
        } else {
            "ctl"
        };
        let text = format!("{definitions}{}", block.trim_start_matches('\n'));
        Property::of_all_orders(logic, true, text)
    });
    properties.collect()
}

fn has_word(text: &str, word: &str) -> bool {
    text.split_whitespace().any(|other| other == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_a_protocol_is_taken_apart() {
        let file = "# a\nlet c(i) = i.x\n\nproperty a: ctl AG x\nmonitor m {\n start s;\n}\nproperty b:  ltl G x\n";
        let properties = own_properties(file);
        let logics: Vec<&str> = properties.iter().map(|property| property.logic).collect();
        assert_eq!(logics, ["ctl", "monitor", "ltl"]);
        assert!(properties.iter().all(|p| p.text.starts_with("let c")));
        assert_eq!(one_line(&properties[1].text), "monitor m { start s; }");
    }

    #[test]
    fn a_quantifier_binds_only_names_that_are_used() {
        let quantifier = Some(Quantifier {
            forall: true,
            range: "i, j in procs",
        });
        let range = |written| used(quantifier, written).map(|quantifier| quantifier.range);
        assert_eq!(range("i.x < j.x"), Some("i, j in procs"));
        assert_eq!(range("j.x < 3"), Some("j in procs"));
        assert_eq!(range("p1.x < 3"), None);
    }

    #[test]
    fn the_negation_of_forall_is_exists() {
        let quantifier = Quantifier {
            forall: true,
            range: "i in procs",
        };
        let formula = Formula::Atom("i.x".to_owned());
        let property = Property::of_formula("ctl", Some(quantifier), "i.x", &formula);
        assert_eq!(property.text, "property q: ctl forall i in procs: i.x\n");
        assert_eq!(
            property.questions[1].text,
            "property q: ctl exists i in procs: !(i.x)\n"
        );
    }
}
