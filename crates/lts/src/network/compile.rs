//! From an expression to rules: which components take which of their labels together, and what the step is called.
//!
//! Every operator is a function on sets of rules, so a composition of any depth comes down to one flat set, and finding
//! a successor later costs nothing for hiding, renaming and nesting. A component has one rule for each of its labels;
//! hiding and renaming change results; cutting drops rules; composition keeps the rules that one operand follows alone
//! and joins those that are followed together. The alternative, to compose step by step while exploring, pays for
//! every operator at every state.

use std::collections::{BTreeMap, HashMap};

use causet_base::nearest;
use causet_base::{Code, Diagnostic};
use causet_formula::Span;

use crate::system::{Labels, Lts};

use super::pattern::{Pattern, PatternKind, Replacement, gate_of};
use super::syntax::{Expression, ExpressionKind, Selection, Synchronisation, Vector};

/// A component's share in a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Part {
    pub(super) component: u32,
    /// A label of the component's own system.
    pub(super) label: u32,
}

/// A step that some components can make together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Rule {
    /// At least one, by increasing component.
    pub(super) parts: Vec<Part>,
    /// The label of the step in [`Compiled::labels`].
    pub(super) label: u32,
}

/// The rules of a network.
pub(super) struct Compiled {
    /// The different systems.
    pub(super) systems: Vec<Lts>,
    /// The system of each component.
    pub(super) components: Vec<usize>,
    /// The rules in order, each once.
    pub(super) rules: Vec<Rule>,
    pub(super) labels: Labels,
    pub(super) warnings: Vec<Diagnostic>,
}

/// Fetches the system of a file.
pub(super) type Open<'o> = dyn FnMut(&str) -> Result<Lts, String> + 'o;

/// Finds the rules of an expression, in which `tau` is the internal action if it is given.
pub(super) fn compile(
    expression: &Expression,
    tau: Option<&str>,
    open: &mut Open<'_>,
) -> Result<Compiled, Vec<Diagnostic>> {
    let mut files = Files::default();
    files.open_all(expression, open);
    if !files.mistakes.is_empty() {
        return Err(files.mistakes);
    }
    let mut compiler = Compiler::new(files, tau);
    let rules = compiler
        .rules(expression)
        .map_err(|mistake| vec![mistake])?;
    Ok(compiler.finish(rules))
}

/// The systems of the files that an expression names, each read once.
#[derive(Default)]
struct Files {
    numbers: HashMap<String, usize>,
    systems: Vec<Lts>,
    mistakes: Vec<Diagnostic>,
}

impl Files {
    fn open_all(&mut self, expression: &Expression, open: &mut Open<'_>) {
        match &expression.kind {
            ExpressionKind::Component(file) => self.open(file, expression.span, open),
            ExpressionKind::Parallel(_, operands) => {
                for operand in operands {
                    self.open_all(operand, open);
                }
            }
            ExpressionKind::Hide(_, body)
            | ExpressionKind::Cut(_, body)
            | ExpressionKind::Rename(_, body) => self.open_all(body, open),
        }
    }

    /// A file that cannot be read is complained of at its first use.
    fn open(&mut self, file: &str, span: Span, open: &mut Open<'_>) {
        if self.numbers.contains_key(file) {
            return;
        }
        self.numbers.insert(file.to_owned(), self.systems.len());
        match open(file) {
            Ok(system) => self.systems.push(system),
            Err(reason) => {
                let message = format!("cannot read component `{file}`");
                let mistake =
                    Diagnostic::at(Code::ComponentUnreadable, span, message).with_label(reason);
                self.mistakes.push(mistake);
            }
        }
    }
}

/// More rules than this are refused: they would be products of products.
const MOST_RULES: usize = 1 << 20;

struct Compiler {
    files: Files,
    components: Vec<usize>,
    labels: Labels,
    /// The one internal label, whatever it is called in the components.
    internal: u32,
    internal_name: InternalName,
    warnings: Vec<Diagnostic>,
}

impl Compiler {
    fn new(files: Files, tau: Option<&str>) -> Compiler {
        let mut labels = Labels::default();
        let internal_name = InternalName::new(tau);
        let internal = labels.number(&internal_name.text);
        Compiler {
            files,
            internal_name,
            components: Vec::new(),
            labels,
            internal,
            warnings: Vec::new(),
        }
    }

    /// Renumbers the labels that are left, and puts the rules in order.
    fn finish(self, mut rules: Vec<Rule>) -> Compiled {
        let mut labels = Labels::default();
        rules.sort_unstable();
        rules.dedup();
        for rule in &mut rules {
            rule.label = labels.number(self.labels.text(rule.label));
        }
        if self.internal_name.chosen {
            labels.choose_internal(&self.internal_name.text);
        }
        Compiled {
            systems: self.files.systems,
            components: self.components,
            rules,
            labels,
            warnings: self.warnings,
        }
    }

    fn rules(&mut self, expression: &Expression) -> Result<Vec<Rule>, Diagnostic> {
        match &expression.kind {
            ExpressionKind::Component(file) => Ok(self.component(file)),
            ExpressionKind::Parallel(synchronisation, operands) => {
                self.parallel(synchronisation, operands, expression.span)
            }
            ExpressionKind::Hide(selection, body) => {
                let rules = self.rules(body)?;
                self.hide(selection, rules)
            }
            ExpressionKind::Cut(selection, body) => {
                let rules = self.rules(body)?;
                self.cut(selection, rules)
            }
            ExpressionKind::Rename(names, body) => {
                let rules = self.rules(body)?;
                self.rename(names, rules)
            }
        }
    }

    fn component(&mut self, file: &str) -> Vec<Rule> {
        let number = self.files.numbers[file];
        let component = self.components.len() as u32;
        self.components.push(number);
        let system = &self.files.systems[number];
        let own = system.labels();
        let mut used = vec![false; own.len()];
        for state in 0..system.states() {
            for edge in system.steps(state) {
                used[edge.label as usize] = true;
            }
        }
        let used = (0..own.len() as u32).filter(|&label| used[label as usize]);
        let rules = used.map(|label| Rule {
            parts: vec![Part { component, label }],
            label: match self.internal_name.is(own.text(label)) {
                true => self.internal,
                false => self.labels.number(own.text(label)),
            },
        });
        rules.collect()
    }

    fn hide(&mut self, selection: &Selection, rules: Vec<Rule>) -> Result<Vec<Rule>, Diagnostic> {
        self.check(&selection.patterns, &[&rules])?;
        let chosen = self.chosen(selection);
        let internal = self.internal;
        let hidden = rules.into_iter().map(|rule| Rule {
            label: if chosen[rule.label as usize] {
                internal
            } else {
                rule.label
            },
            parts: rule.parts,
        });
        Ok(hidden.collect())
    }

    fn cut(
        &mut self,
        selection: &Selection,
        mut rules: Vec<Rule>,
    ) -> Result<Vec<Rule>, Diagnostic> {
        self.check(&selection.patterns, &[&rules])?;
        let chosen = self.chosen(selection);
        rules.retain(|rule| !chosen[rule.label as usize]);
        Ok(rules)
    }

    fn rename(
        &mut self,
        names: &[(Pattern, Replacement)],
        mut rules: Vec<Rule>,
    ) -> Result<Vec<Rule>, Diagnostic> {
        for (pattern, _) in names {
            self.check(std::slice::from_ref(pattern), &[&rules])?;
        }
        for rule in &mut rules {
            if rule.label == self.internal {
                continue;
            }
            let text = self.labels.text(rule.label);
            let first = names.iter().find(|(pattern, _)| pattern.matches(text));
            if let Some((pattern, replacement)) = first {
                let new = replacement.of(pattern, text);
                if new.is_empty() {
                    return Err(empty_label(pattern, text));
                }
                let text = new;
                rule.label = self.result(replacement, &text);
            }
        }
        Ok(rules)
    }

    fn parallel(
        &mut self,
        synchronisation: &Synchronisation,
        operands: &[Expression],
        span: Span,
    ) -> Result<Vec<Rule>, Diagnostic> {
        let mut sets = Vec::new();
        for operand in operands {
            sets.push(self.rules(operand)?);
        }
        match synchronisation {
            Synchronisation::On(selection) => self.synchronise(selection, sets, span),
            Synchronisation::By(vectors) => self.follow(vectors, &sets, span),
        }
    }

    /// All operands together on the selected labels, each alone on the others.
    fn synchronise(
        &mut self,
        selection: &Selection,
        sets: Vec<Vec<Rule>>,
        span: Span,
    ) -> Result<Vec<Rule>, Diagnostic> {
        let all: Vec<&[Rule]> = sets.iter().map(Vec::as_slice).collect();
        self.check(&selection.patterns, &all)?;
        let chosen = self.chosen(selection);
        let mut rules = Vec::new();
        let mut together: Vec<BTreeMap<u32, Vec<Rule>>> = Vec::new();
        for set in sets {
            let mut by_label = BTreeMap::<u32, Vec<Rule>>::new();
            for rule in set {
                match chosen[rule.label as usize] {
                    true => by_label.entry(rule.label).or_default().push(rule),
                    false => rules.push(rule),
                }
            }
            together.push(by_label);
        }
        let Some((first, others)) = together.split_first() else {
            return Ok(rules);
        };
        for (&label, alone) in first {
            let mut joint = alone.clone();
            for other in others {
                let partners = other.get(&label).map_or(&[][..], Vec::as_slice);
                joint = join(&joint, partners, rules.len(), span)?;
            }
            rules.append(&mut joint);
        }
        Ok(rules)
    }

    /// The steps that the vectors name, and the internal ones of each operand.
    fn follow(
        &mut self,
        vectors: &[Vector],
        sets: &[Vec<Rule>],
        span: Span,
    ) -> Result<Vec<Rule>, Diagnostic> {
        let silent = sets
            .iter()
            .flatten()
            .filter(|rule| rule.label == self.internal);
        let mut rules: Vec<Rule> = silent.cloned().collect();
        for vector in vectors {
            check_length(vector, sets.len())?;
            let mut common: Vec<(Option<String>, Rule)> = Vec::new();
            let mut started = false;
            for (entry, set) in vector.entries.iter().zip(sets) {
                let Some(pattern) = entry else { continue };
                self.check(std::slice::from_ref(pattern), &[set])?;
                let offering = self.offering(pattern, set);
                common = match started {
                    true => meet(&common, &offering, rules.len(), span)?,
                    false => offering,
                };
                started = true;
            }
            for (offers, rule) in common {
                let text = vector.result.with_offers(offers.as_deref());
                let label = self.result(&vector.result, &text);
                rules.push(Rule { label, ..rule });
            }
        }
        Ok(rules)
    }

    /// The rules whose labels a pattern matches, with what their gates offer.
    fn offering(&self, pattern: &Pattern, set: &[Rule]) -> Vec<(Option<String>, Rule)> {
        let visible = set.iter().filter(|rule| rule.label != self.internal);
        let pairs = visible.filter_map(|rule| {
            let text = self.labels.text(rule.label);
            let offers = pattern.offers(text).map(str::to_owned);
            pattern.matches(text).then(|| (offers, rule.clone()))
        });
        pairs.collect()
    }

    /// The number of a label that an operator makes; a step that is called internal is, and so is one of a gate that is.
    fn result(&mut self, name: &Replacement, text: &str) -> u32 {
        let gate = name.gate().unwrap_or(text);
        match self.internal_name.is(gate) || self.internal_name.is(text) {
            true => self.internal,
            false => self.labels.number(text),
        }
    }

    /// Which labels a selection means, by number; never the internal one.
    fn chosen(&self, selection: &Selection) -> Vec<bool> {
        let numbers = 0..self.labels.len() as u32;
        let chosen = numbers.map(|label| {
            let text = self.labels.text(label);
            let named = selection
                .patterns
                .iter()
                .any(|pattern| pattern.matches(text));
            label != self.internal && named != selection.all_but
        });
        chosen.collect()
    }

    /// Refuses the internal action in a list, and warns of a name that no rule's label has.
    fn check(&mut self, patterns: &[Pattern], sets: &[&[Rule]]) -> Result<(), Diagnostic> {
        for pattern in patterns {
            let (PatternKind::Gate(name) | PatternKind::Exact(name)) = &pattern.kind else {
                continue;
            };
            if self.internal_name.is(name) {
                let message = format!("`{name}` is the internal action");
                let mistake = Diagnostic::at(Code::InternalInNetwork, pattern.span, message);
                let label = "it is never synchronised, renamed, cut or hidden";
                return Err(mistake.with_label(label));
            }
            let labels = self.visible(sets);
            if !labels.iter().any(|text| pattern.matches(text)) {
                let warning = unknown(pattern, name, &labels);
                self.warnings.push(warning);
            }
        }
        Ok(())
    }

    /// The texts of the visible labels of some sets of rules, each once.
    fn visible(&self, sets: &[&[Rule]]) -> Vec<&str> {
        let mut seen = vec![false; self.labels.len()];
        for rule in sets.iter().copied().flatten() {
            seen[rule.label as usize] = rule.label != self.internal;
        }
        let numbers = (0..seen.len() as u32).filter(|&label| seen[label as usize]);
        numbers.map(|label| self.labels.text(label)).collect()
    }
}

/// What the internal action of a network is called: as usual, unless somebody chose another name. Only who chose it can
/// know, since no label of the components need be called so.
struct InternalName {
    text: String,
    /// Whether it was chosen, so that the usual names are visible.
    chosen: bool,
}

impl InternalName {
    fn new(tau: Option<&str>) -> InternalName {
        InternalName {
            text: tau.unwrap_or("i").to_owned(),
            chosen: tau.is_some(),
        }
    }

    fn is(&self, name: &str) -> bool {
        name == self.text || (!self.chosen && matches!(name, "i" | "tau"))
    }
}

fn unknown(pattern: &Pattern, name: &str, labels: &[&str]) -> Diagnostic {
    let warning = Diagnostic::at(
        Code::UnknownAction,
        pattern.span,
        format!("nothing here ever does `{name}`"),
    );
    let near = match pattern.kind {
        PatternKind::Gate(_) => nearest(name, labels.iter().map(|text| gate_of(text))),
        _ => nearest(name, labels.iter().copied()),
    };
    match near {
        Some(near) => warning.with_help(format!("did you mean `{near}`?")),
        None => warning,
    }
}

fn empty_label(pattern: &Pattern, label: &str) -> Diagnostic {
    let message = format!("this makes the label `{label}` empty");
    let help = "a label has at least one character; `hide` makes it internal, `cut` impossible";
    Diagnostic::at(Code::EmptyLabel, pattern.span, message).with_help(help)
}

fn check_length(vector: &Vector, operands: usize) -> Result<(), Diagnostic> {
    let entries = vector.entries.len();
    if entries != operands {
        let message =
            format!("the length of this vector is {entries}, but there are {operands} operands");
        let mistake = Diagnostic::at(Code::BadVector, vector.span, message);
        return Err(mistake.with_help("an operand that takes no part has the entry `_`"));
    }
    if vector.entries.iter().all(Option::is_none) {
        let mistake = Diagnostic::at(
            Code::BadVector,
            vector.span,
            "nobody takes part in this vector",
        );
        return Err(mistake.with_label("at least one entry must be a label or a gate"));
    }
    Ok(())
}

/// Every rule of one side with every rule of the other; their label is that of the first.
fn join(left: &[Rule], right: &[Rule], before: usize, span: Span) -> Result<Vec<Rule>, Diagnostic> {
    let count = left.len().saturating_mul(right.len());
    if count.saturating_add(before) > MOST_RULES {
        return Err(too_many(span));
    }
    let mut joint = Vec::with_capacity(count);
    for one in left {
        joint.extend(right.iter().map(|other| together(one, other)));
    }
    Ok(joint)
}

/// Like [`join`], for rules whose gates offer the same.
fn meet(
    left: &[(Option<String>, Rule)],
    right: &[(Option<String>, Rule)],
    before: usize,
    span: Span,
) -> Result<Vec<(Option<String>, Rule)>, Diagnostic> {
    let mut joint = Vec::new();
    for (offers, one) in left {
        for (others, other) in right {
            if offers.is_some() && others.is_some() && offers != others {
                continue;
            }
            let offers = offers.as_ref().or(others.as_ref());
            joint.push((offers.cloned(), together(one, other)));
        }
        if joint.len() + before > MOST_RULES {
            return Err(too_many(span));
        }
    }
    Ok(joint)
}

fn together(one: &Rule, other: &Rule) -> Rule {
    let parts = one.parts.iter().chain(&other.parts).copied().collect();
    Rule {
        parts,
        label: one.label,
    }
}

fn too_many(span: Span) -> Diagnostic {
    let message = format!("this composition has more than {MOST_RULES} ways to synchronise");
    let help = "compose fewer interleaved operands at once, or give their labels different names";
    Diagnostic::at(Code::TooManyRules, span, message).with_help(help)
}
