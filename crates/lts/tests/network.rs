//! Networks against a second meaning: every operator by its definition on explicit products, and texts that are refused.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;

use causet_base::Diagnostic;
use causet_base::budget::Budget;
use causet_lts::network::{self, Network};
use causet_lts::random::random_lts;
use causet_lts::{Lts, aut};
use causet_solve::numbered::Numbered;
use causet_solve::space::Space;
use causet_solve::steps::{Edge, Steps};
use fastrand::Rng;

/// The labels of random components: two spellings of the internal action, gates with and without offers.
const LABELS: &[&str] = &[
    "a", "a !1", "a !2", "b", "b(1)", "b !1", "c", "ab", "i", "tau",
];
const GATES: &[&str] = &["a", "b", "c", "d", "ab"];

/// A description of labels, with a matcher of its own.
#[derive(Clone)]
enum Name {
    Gate(&'static str),
    Exact(&'static str),
    /// A regular expression and the labels it means.
    Matches(&'static str, fn(&str) -> bool),
}

impl Name {
    fn random(rng: &mut Rng) -> Name {
        match rng.u8(..6) {
            0 => Name::Exact("a !1"),
            1 => Name::Exact("c"),
            2 => Name::Matches("a.*", |label| label.starts_with('a')),
            3 => Name::Matches("b|c", |label| label == "b" || label == "c"),
            _ => Name::gate(rng),
        }
    }

    fn gate(rng: &mut Rng) -> Name {
        Name::Gate(rng.choice(GATES).expect("not empty"))
    }

    fn list(rng: &mut Rng) -> Vec<Name> {
        (0..rng.usize(1..=2)).map(|_| Name::random(rng)).collect()
    }

    fn means(&self, label: &str) -> bool {
        match self {
            Name::Gate(_) => self.offers(label).is_some(),
            Name::Exact(text) => label == *text,
            Name::Matches(_, means) => means(label),
        }
    }

    fn offers<'l>(&self, label: &'l str) -> Option<&'l str> {
        let Name::Gate(gate) = self else { return None };
        let offers = label.strip_prefix(gate)?;
        (offers.is_empty() || offers.starts_with([' ', '(', '!'])).then_some(offers)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Gate(gate) => f.write_str(gate),
            Name::Exact(text) => write!(f, "\"{text}\""),
            Name::Matches(text, _) => write!(f, "'{text}'"),
        }
    }
}

/// An expression as the definition sees it.
enum Tree {
    Component(usize),
    /// Operators between the operands, grouped to the right: the labels of `|[...]|`, or none for `||`.
    Chain(Vec<Option<Vec<Name>>>, Vec<Tree>),
    Par(Vec<Name>, Vec<Tree>),
    Vectors(Vec<(Vec<Option<Name>>, Name)>, Vec<Tree>),
    Hide(bool, Vec<Name>, Box<Tree>),
    Cut(bool, Vec<Name>, Box<Tree>),
    Rename(Vec<(Name, Name)>, Box<Tree>),
}

impl Tree {
    /// A random expression of so many components, which are numbered from the left.
    fn random(rng: &mut Rng, first: usize, components: usize) -> Tree {
        match rng.u8(..10) {
            0 => Tree::Hide(
                rng.bool(),
                Name::list(rng),
                Tree::below(rng, first, components),
            ),
            1 => Tree::Cut(
                rng.u8(..4) == 0,
                Name::list(rng),
                Tree::below(rng, first, components),
            ),
            2 => {
                let pairs = (0..rng.usize(1..=2)).map(|_| (Name::random(rng), Tree::result(rng)));
                Tree::Rename(pairs.collect(), Tree::below(rng, first, components))
            }
            _ if components == 1 => Tree::Component(first),
            3..=5 => {
                let operands = Tree::operands(rng, first, components);
                Tree::Par(Name::list(rng), operands)
            }
            6 => {
                let operands = Tree::operands(rng, first, components);
                let vectors = (0..rng.usize(1..=4)).map(|_| Tree::vector(rng, operands.len()));
                Tree::Vectors(vectors.collect(), operands)
            }
            _ => {
                let operands = Tree::operands(rng, first, components);
                let operators = (1..operands.len()).map(|_| match rng.u8(..4) {
                    0 => None,
                    1 => Some(Vec::new()),
                    _ => Some(Name::list(rng)),
                });
                Tree::Chain(operators.collect(), operands)
            }
        }
    }

    fn below(rng: &mut Rng, first: usize, components: usize) -> Box<Tree> {
        Box::new(Tree::random(rng, first, components))
    }

    fn operands(rng: &mut Rng, first: usize, components: usize) -> Vec<Tree> {
        let mut operands = Vec::new();
        let mut given = 0;
        while given < components {
            let most = (components - given).min(components - 1);
            let share = rng.usize(1..=most);
            operands.push(Tree::random(rng, first + given, share));
            given += share;
        }
        operands
    }

    fn vector(rng: &mut Rng, operands: usize) -> (Vec<Option<Name>>, Name) {
        let mut entries: Vec<Option<Name>> = (0..operands)
            .map(|_| match rng.u8(..4) {
                0 => None,
                1 => Some(Name::Exact(rng.choice(&LABELS[..8]).expect("not empty"))),
                _ => Some(Name::gate(rng)),
            })
            .collect();
        if entries.iter().all(Option::is_none) {
            entries[0] = Some(Name::Gate("a"));
        }
        (entries, Tree::result(rng))
    }

    fn result(rng: &mut Rng) -> Name {
        match rng.u8(..6) {
            0 => Name::Exact("new !7"),
            1 => Name::Gate("i"),
            _ => Name::gate(rng),
        }
    }

    fn text(&self) -> String {
        let listed = |names: &[Name]| {
            let texts: Vec<String> = names.iter().map(ToString::to_string).collect();
            texts.join(", ")
        };
        let in_parentheses = |trees: &[Tree]| -> Vec<String> {
            trees
                .iter()
                .map(|tree| format!("({})", tree.text()))
                .collect()
        };
        match self {
            Tree::Component(number) => format!("\"{number}.aut\""),
            Tree::Chain(operators, operands) => {
                let operands = in_parentheses(operands);
                let rest = operators.iter().zip(&operands[1..]);
                rest.fold(
                    operands[0].clone(),
                    |text, (operator, operand)| match operator {
                        None => format!("{text} || {operand}"),
                        Some(names) if names.is_empty() => format!("{text} ||| {operand}"),
                        Some(names) => format!("{text} |[{}]| {operand}", listed(names)),
                    },
                )
            }
            Tree::Par(names, operands) => {
                let operands = in_parentheses(operands).join("\n|| ");
                format!("par {} in {operands} end par", listed(names))
            }
            Tree::Vectors(vectors, operands) => {
                let vectors: Vec<String> = vectors.iter().map(vector_text).collect();
                let operands = in_parentheses(operands).join(" || ");
                format!("par using {} in {operands} end par", vectors.join(",\n"))
            }
            Tree::Hide(others, names, body) => {
                let all_but = if *others { "all but " } else { "" };
                format!(
                    "hide {all_but}{} in {} end hide",
                    listed(names),
                    body.text()
                )
            }
            Tree::Cut(others, names, body) => {
                let all_but = if *others { "all but " } else { "" };
                format!(
                    "cut {all_but}{} in {} end cut -- so\n",
                    listed(names),
                    body.text()
                )
            }
            Tree::Rename(pairs, body) => {
                let pairs: Vec<String> = pairs.iter().map(|(a, b)| format!("{a} -> {b}")).collect();
                format!(
                    "rename {} in {} (* so *) end rename",
                    pairs.join(", "),
                    body.text()
                )
            }
        }
    }
}

fn vector_text((entries, result): &(Vec<Option<Name>>, Name)) -> String {
    let entry = |entry: &Option<Name>| entry.as_ref().map_or("_".to_owned(), ToString::to_string);
    let entries: Vec<String> = entries.iter().map(entry).collect();
    format!("{} -> {result}", entries.join(" * "))
}

/// A system in full: also the states that cannot be reached.
#[derive(Clone)]
struct Explicit {
    initial: Vec<u32>,
    states: Vec<Vec<u32>>,
    steps: BTreeSet<Step>,
}

type Step = (Vec<u32>, String, Vec<u32>);

const INTERNAL: &str = "i";

impl Explicit {
    fn component(lts: &Lts) -> Explicit {
        let mut steps = BTreeSet::new();
        for state in 0..lts.states() {
            for edge in lts.steps(state) {
                let label = match lts.labels().text(edge.label) {
                    "tau" => INTERNAL,
                    label => label,
                };
                steps.insert((vec![state], label.to_owned(), vec![edge.target]));
            }
        }
        Explicit {
            initial: vec![lts.initial()],
            states: (0..lts.states()).map(|state| vec![state]).collect(),
            steps,
        }
    }

    /// The same with other labels, or without the steps that get none.
    fn relabelled(self, change: impl Fn(&str) -> Option<String>) -> Explicit {
        let visible = |label: String| match label.as_str() {
            INTERNAL => Some(label),
            _ => change(&label),
        };
        let steps = self.steps.into_iter();
        let steps = steps.filter_map(|(from, label, to)| Some((from, visible(label)?, to)));
        Explicit {
            steps: steps.collect(),
            ..self
        }
    }

    /// Two systems side by side; `common` says what two labels make together, if anything, `alone` which need no partner.
    fn beside(
        &self,
        other: &Explicit,
        alone: &dyn Fn(usize, &str) -> bool,
        common: &dyn Fn(&str, &str) -> Option<String>,
    ) -> Explicit {
        let both = |one: &[u32], two: &[u32]| [one, two].concat();
        let mut steps = BTreeSet::new();
        for (from, label, to) in self.steps.iter().filter(|step| alone(0, &step.1)) {
            for state in &other.states {
                steps.insert((both(from, state), label.clone(), both(to, state)));
            }
        }
        for (from, label, to) in other.steps.iter().filter(|step| alone(1, &step.1)) {
            for state in &self.states {
                steps.insert((both(state, from), label.clone(), both(state, to)));
            }
        }
        for (from, label, to) in &self.steps {
            for (other_from, other_label, other_to) in &other.steps {
                if let Some(label) = common(label, other_label) {
                    steps.insert((both(from, other_from), label, both(to, other_to)));
                }
            }
        }
        let states = self.states.iter();
        let states = states.flat_map(|one| other.states.iter().map(move |two| both(one, two)));
        Explicit {
            initial: both(&self.initial, &other.initial),
            states: states.collect(),
            steps,
        }
    }

    fn synchronised(&self, other: &Explicit, together: &dyn Fn(&str) -> bool) -> Explicit {
        let together = |label: &str| label != INTERNAL && together(label);
        self.beside(other, &|_, label| !together(label), &|one, two| {
            (one == two && together(one)).then(|| one.to_owned())
        })
    }

    /// Those of its steps that can be reached.
    fn reachable(&self) -> BTreeSet<Step> {
        let mut seen = BTreeSet::from([self.initial.clone()]);
        let mut open = vec![self.initial.clone()];
        let mut reached = BTreeSet::new();
        while let Some(state) = open.pop() {
            for step in self.steps.iter().filter(|step| step.0 == state) {
                reached.insert(step.clone());
                if seen.insert(step.2.clone()) {
                    open.push(step.2.clone());
                }
            }
        }
        reached
    }
}

fn internal_or(label: String) -> String {
    match label.as_str() {
        "tau" => INTERNAL.to_owned(),
        _ if label.starts_with("i ") || label.starts_with("i(") => INTERNAL.to_owned(),
        _ => label,
    }
}

fn renamed(from: &Name, to: &Name, label: &str) -> String {
    internal_or(match to {
        Name::Gate(gate) => format!("{gate}{}", from.offers(label).unwrap_or("")),
        _ => to.to_string().trim_matches('"').to_owned(),
    })
}

fn defined(tree: &Tree, components: &[Lts]) -> Explicit {
    let all = |trees: &[Tree]| -> Vec<Explicit> {
        trees.iter().map(|tree| defined(tree, components)).collect()
    };
    let any = |names: &[Name], label: &str| names.iter().any(|name| name.means(label));
    match tree {
        Tree::Component(number) => Explicit::component(&components[*number]),
        Tree::Chain(operators, operands) => {
            let mut operands = all(operands);
            let mut right = operands.pop().expect("two operands");
            for operator in operators.iter().rev() {
                let left = operands.pop().expect("one operand more than operators");
                right = left.synchronised(&right, &|label| {
                    operator.as_ref().is_none_or(|names| any(names, label))
                });
            }
            right
        }
        Tree::Par(names, operands) => {
            let operands = all(operands).into_iter();
            operands
                .reduce(|left, right| left.synchronised(&right, &|label| any(names, label)))
                .expect("two operands")
        }
        Tree::Vectors(vectors, operands) => by_vectors(vectors, &all(operands)),
        Tree::Hide(others, names, body) => defined(body, components).relabelled(|label| {
            let hidden = any(names, label) != *others;
            Some(if hidden { INTERNAL } else { label }.to_owned())
        }),
        Tree::Cut(others, names, body) => defined(body, components)
            .relabelled(|label| (any(names, label) == *others).then(|| label.to_owned())),
        Tree::Rename(pairs, body) => defined(body, components).relabelled(|label| {
            let first = pairs.iter().find(|(from, _)| from.means(label));
            Some(first.map_or(label.to_owned(), |(from, to)| renamed(from, to, label)))
        }),
    }
}

/// One product for each vector, with labels that carry the offers along; then all of them together.
fn by_vectors(vectors: &[(Vec<Option<Name>>, Name)], operands: &[Explicit]) -> Explicit {
    let mut united: Option<Explicit> = None;
    for (entries, result) in vectors {
        let product = by_vector(entries, result, operands);
        match &mut united {
            None => united = Some(product),
            Some(united) => united.steps.extend(product.steps),
        }
    }
    united.expect("one vector")
}

/// `*offers` marks a step of the operands so far that follows the vector, `*?` one without gates.
fn by_vector(entries: &[Option<Name>], result: &Name, operands: &[Explicit]) -> Explicit {
    let marked = |operand: &Explicit, entry: &Option<Name>| {
        operand.clone().relabelled(|label| {
            let name = entry.as_ref()?;
            let offers = name.offers(label).unwrap_or("?");
            name.means(label).then(|| format!("*{offers}"))
        })
    };
    let mut product = marked(&operands[0], &entries[0]);
    let mut started = entries[0].is_some();
    for (operand, entry) in operands.iter().zip(entries).skip(1) {
        let next = marked(operand, entry);
        let (left, right) = (started, entry.is_some());
        let alone = |side: usize, label: &str| {
            label == INTERNAL || (side == 0 && !right) || (side == 1 && !left)
        };
        product = product.beside(&next, &alone, &|one, two| {
            if one == INTERNAL || two == INTERNAL || one == two {
                return (one == two && one != INTERNAL).then(|| one.to_owned());
            }
            match (one, two) {
                ("*?", offers) | (offers, "*?") => Some(offers.to_owned()),
                _ => None,
            }
        });
        started |= right;
    }
    product.relabelled(|mark| {
        let offers = mark.trim_start_matches(['*', '?']);
        Some(internal_or(match result {
            Name::Gate(gate) => format!("{gate}{offers}"),
            _ => result.to_string().trim_matches('"').to_owned(),
        }))
    })
}

/// The steps of a network, as it is explored.
fn explored(network: &Network) -> BTreeSet<Step> {
    let budget = Budget::endless();
    let mut numbered = Numbered::new(network, &budget).expect("no limit");
    numbered.explore(&budget).expect("no limit");
    let mut steps = BTreeSet::new();
    for state in 0..numbered.states() as u32 {
        let edges = numbered.edges(state, &budget).expect("no limit").to_vec();
        for edge in &edges {
            let label = network.labels().text(edge.label).to_owned();
            assert_eq!(label == INTERNAL, network.labels().is_internal(edge.label));
            let from = numbered.row(state).to_vec();
            steps.insert((from, label, numbered.row(edge.target).to_vec()));
        }
    }
    steps
}

fn seed() -> u64 {
    let given = std::env::var("CAUSET_SEED").ok();
    given.and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

#[test]
fn random_networks_do_what_their_operators_say() {
    let (mut joint, mut moving) = (0, 0);
    for seed in seed()..seed() + 4_000 {
        let mut rng = Rng::with_seed(seed);
        let count = rng.usize(1..=4).max(rng.usize(1..=3));
        let labels: Vec<&str> = (0..4)
            .map(|_| *rng.choice(LABELS).expect("not empty"))
            .collect();
        let components: Vec<Lts> = (0..count)
            .map(|_| {
                let states = rng.u32(1..=3);
                random_lts(&mut rng, states, &labels, 4.0)
            })
            .collect();
        let tree = Tree::random(&mut rng, 0, count);
        let text = tree.text();
        let network = network::read(&text, None, &mut |file| {
            let number = file.trim_end_matches(".aut").parse::<usize>();
            Ok(components[number.expect("a number")].clone())
        });
        let network =
            network.unwrap_or_else(|mistakes| panic!("seed {seed}: {text}\n{mistakes:?}"));
        let expected = defined(&tree, &components).reachable();
        let found = explored(&network);
        assert_eq!(found, expected, "seed {seed}: {text}");
        moving += usize::from(!found.is_empty());
        let changed = |step: &Step| step.0.iter().zip(&step.2).filter(|(a, b)| a != b).count();
        joint += usize::from(found.iter().any(|step| changed(step) > 1));
    }
    assert!(
        moving > 1_500 && joint > 300,
        "{moving} networks move, {joint} of them jointly"
    );
}

/// The files of an example, as a network reads them.
fn opened(file: &str) -> Result<Lts, String> {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/alternating-bit/"
    );
    let bytes = std::fs::read(format!("{folder}{file}")).map_err(|error| error.to_string())?;
    let read = aut::read(&mut bytes.as_slice(), 1, &Budget::endless());
    Ok(read.expect("a component").lts)
}

const BITALT: &str = include_str!("../../../examples/alternating-bit/bitalt.exp");

/// Follows every path of a network with the message that is under way; answers with the labels that came out of turn.
fn out_of_turn(network: &Network) -> BTreeSet<String> {
    let mut steps: HashMap<Vec<u32>, Vec<(String, Vec<u32>)>> = HashMap::new();
    for (from, label, to) in explored(network) {
        steps.entry(from).or_default().push((label, to));
    }
    let mut initial = vec![0; network.width()];
    network.initial(&mut initial);
    let mut open = vec![(initial, None)];
    let mut seen: HashSet<(Vec<u32>, Option<String>)> = open.iter().cloned().collect();
    let mut wrong = BTreeSet::new();
    while let Some((state, message)) = open.pop() {
        for (label, target) in steps.get(&state).into_iter().flatten() {
            let next = match (label.split_once(" !"), &message) {
                (None, message) => message.clone(),
                (Some(("PUT", put)), None) => Some(put.to_owned()),
                (Some(("GET", got)), Some(put)) if got == put => None,
                _ => {
                    wrong.insert(label.clone());
                    continue;
                }
            };
            let pair = (target.clone(), next);
            if seen.insert(pair.clone()) {
                open.push(pair);
            }
        }
    }
    wrong
}

#[test]
fn the_alternating_bit_protocol_is_a_buffer_and_a_confused_one_is_not() {
    let network = network::read(BITALT, None, &mut opened).expect("an example");
    assert_eq!((network.components(), network.warnings()), (4, &[][..]));
    assert_eq!(explored(&network).len(), 590);
    assert_eq!(out_of_turn(&network), BTreeSet::new());
    // A receiver that takes every message for one with bit 0 hands over what is sent again.
    let careless = "rename 'RECEIVE !(.) !.' -> \"RECEIVE !$1 !0\" in receiver end rename)";
    let confused = BITALT.replace("receiver)", careless);
    let network = network::read(&confused, None, &mut opened).expect("a variant");
    let wrong = out_of_turn(&network);
    assert!(
        wrong.contains("GET !0") && wrong.contains("GET !1"),
        "{wrong:?}"
    );
}

/// Texts that are refused, each with its mistakes: where, what, what was expected, what to do.
const REFUSED: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "0..0 the text ends too early | expected a component (a file name in double quotes), `(`, `hide`, `cut`, `rename` or `par`",
        ],
    ),
    (
        "(* only this",
        &["0..2 this comment is never closed ? close it with `*)`"],
    ),
    (
        "\"a.aut",
        &["0..1 this quoted text is never closed ? close it with \" on the same line"],
    ),
    (
        "\"a.aut\" || 'b.aut",
        &["11..12 this quoted text is never closed ? close it with ' on the same line"],
    ),
    (
        "\"a.aut\" | \"b.aut\"",
        &[
            "8..9 `|` means nothing here ? interleaving is `|||`, full synchronisation `||`, synchronisation on gates `|[a, b]|`",
        ],
    ),
    (
        "\"a.aut\" [a] \"b.aut\" ; {",
        &[
            "8..9 `[` means nothing here ? gates to synchronise on stand between `|[` and `]|`",
            "10..11 `]` means nothing here ? gates to synchronise on stand between `|[` and `]|`",
            "20..21 `;` means nothing here ? labels that are more than a word stand in double quotes, regular expressions in single ones",
            "22..23 `{` means nothing here ? labels that are more than a word stand in double quotes, regular expressions in single ones",
        ],
    ),
    (
        "(\"a.aut\" ||| \"b.aut\"",
        &[
            "0..1 this `(` is never closed | `)` or an operator was expected before the end of the text",
        ],
    ),
    (
        "\"a.aut\") ||| \"b.aut\"",
        &["7..8 this `)` was never opened"],
    ),
    (
        "\"a.aut\" \"b.aut\"",
        &["8..15 unexpected `\"b.aut\"` | expected an operator or the end"],
    ),
    (
        "\"a.aut\" |||",
        &[
            "11..11 the text ends too early | expected a component (a file name in double quotes), `(`, `hide`, `cut`, `rename` or `par`",
        ],
    ),
    (
        "\"a.aut\" |[a, ]| \"b.aut\"",
        &["13..15 unexpected `]|` | expected a gate or a label in quotes"],
    ),
    (
        "\"a.aut\" |[a b]| \"b.aut\"",
        &["12..13 unexpected `b` | expected `,` and another gate, or `]|`"],
    ),
    (
        "snder ||| \"b.aut\"",
        &[
            "0..5 unknown component `snder` ? write the file name in double quotes, or define `component snder = \"file.aut\"` first",
        ],
    ),
    (
        "component sender = \"a.aut\"\nsendr",
        &["27..32 unknown component `sendr` ? did you mean `sender`?"],
    ),
    (
        "component a = \"a.aut\" component a = \"b.aut\" a",
        &[
            "32..33 component `a` is defined twice | already the name of a file ? give one of them another name",
        ],
    ),
    (
        "component a \"a.aut\" a",
        &["12..19 unexpected `\"a.aut\"` | expected `=` between a component's name and its file"],
    ),
    (
        "component in = \"a.aut\" a",
        &[
            "10..12 unexpected `in` | expected a name for the component ? `in` is a keyword; a label of that name stands in double quotes",
        ],
    ),
    (
        "component a = b.aut a",
        &["14..19 unexpected `b.aut` | expected the file of the component, in double quotes"],
    ),
    (
        "hide a \"a.aut\" end hide",
        &["7..14 unexpected `\"a.aut\"` | expected `in` or `,` and more labels"],
    ),
    (
        "hide a in \"a.aut\"",
        &["17..17 the text ends too early | expected an operator or `end hide`"],
    ),
    (
        "hide a in \"a.aut\" end cut",
        &["22..25 unexpected `cut` | expected `end hide`"],
    ),
    (
        "hide all a in \"a.aut\" end hide",
        &["9..10 unexpected `a` | expected `but` after `all`"],
    ),
    (
        "hide i in \"a.aut\" end hide",
        &["5..6 `i` is the internal action | it is never synchronised, renamed, cut or hidden"],
    ),
    (
        "cut '(' in \"a.aut\" end cut",
        &["4..7 this is no regular expression | unclosed group"],
    ),
    (
        "rename a b in \"a.aut\" end rename",
        &["9..10 unexpected `b` | expected `->` between a label and its new name"],
    ),
    (
        "rename a -> 'b' in \"a.aut\" end rename",
        &["12..15 unexpected `'b'` | expected a new name: a gate, or a label in double quotes"],
    ),
    (
        "rename '(.)(.).*' -> \"$1x$3\" in \"a.aut\" end rename",
        &[
            "21..28 there is no group `3` in the regular expression | its groups are `1`, `2` ? `$1` is the first group, `${name}` one with a name and `$$` a dollar sign",
        ],
    ),
    (
        "rename 'aa' -> \"$x\" in \"a.aut\" end rename",
        &[
            "15..19 there is no group `x` in the regular expression | it has no groups ? `$1` is the first group, `${name}` one with a name and `$$` a dollar sign",
        ],
    ),
    (
        "rename 'b !1|a(x?)a' -> \"$1\" in \"a.aut\" end rename",
        &[
            "7..20 this makes the label `aa` empty ? a label has at least one character; `hide` makes it internal, `cut` impossible",
        ],
    ),
    (
        "rename \"tau\" -> b in \"a.aut\" end rename",
        &["7..12 `tau` is the internal action | it is never synchronised, renamed, cut or hidden"],
    ),
    (
        "par a in \"a.aut\" ||| \"b.aut\" end par",
        &[
            "17..20 unexpected `|||` | expected `||` or `end par` ? inside `par`, `||` stands between operands: put parentheses around the composition",
        ],
    ),
    (
        "par using a -> b in \"a.aut\" || \"b.aut\" end par",
        &[
            "10..16 the length of this vector is 1, but there are 2 operands ? an operand that takes no part has the entry `_`",
        ],
    ),
    (
        "par using _ * _ -> b in \"a.aut\" || \"b.aut\" end par",
        &["10..20 nobody takes part in this vector | at least one entry must be a label or a gate"],
    ),
    (
        "par using 'a' * _ -> b in \"a.aut\" || \"b.aut\" end par",
        &[
            "10..13 a vector cannot have regular expressions | a gate, a label in double quotes or `_` was expected",
        ],
    ),
    (
        "par using a * b in \"a.aut\" || \"b.aut\" end par",
        &[
            "16..18 unexpected `in` | expected `->` between the entries of a vector and its name, or `*` and another entry",
        ],
    ),
    (
        "\"none.aut\" ||| \"a.aut\" ||| \"nil.aut\" ||| \"none.aut\"",
        &[
            "0..10 cannot read component `none.aut` | there is no such file",
            "27..36 cannot read component `nil.aut` | there is no such file",
        ],
    ),
    (
        "hide end in \"a.aut\" end hide",
        &[
            "5..8 unexpected `end` | expected a gate or a label in quotes ? `end` is a keyword; a label of that name stands in double quotes",
        ],
    ),
];

/// Components with the labels `a`, `b !1` and `i`; files whose names start with `n` do not exist.
fn small(file: &str) -> Result<Lts, String> {
    match file.starts_with('n') {
        true => Err("there is no such file".to_owned()),
        false => Ok(random_lts(
            &mut Rng::with_seed(1),
            9,
            &["aa", "b !1", "i"],
            3.0,
        )),
    }
}

fn shown(mistake: &Diagnostic) -> String {
    let (message, span) = (&mistake.message, mistake.span);
    let (label, help) = (&mistake.label, &mistake.help);
    let part = |sign: &str, text: &Option<String>| {
        text.as_ref()
            .map_or(String::new(), |text| format!("{sign}{text}"))
    };
    format!(
        "{}..{} {message}{}{}",
        span.start,
        span.end,
        part(" | ", label),
        part(" ? ", help)
    )
}

#[test]
fn mistakes_are_refused_where_they_are() {
    for (text, expected) in REFUSED {
        let mistakes = network::read(text, None, &mut small).expect_err(text);
        let found: Vec<String> = mistakes.iter().map(shown).collect();
        for mistake in &mistakes {
            assert!(mistake.span.end as usize <= text.len(), "{text}");
        }
        assert_eq!(&found, expected, "{text}");
    }
}

#[test]
fn names_that_nothing_has_are_warned_of() {
    let text = "component spare = \"a.aut\"\nhide ab, aa, bb, \"b !2\", 'x' in \"a.aut\" |[AA]| \"a.aut\" end hide";
    let network = network::read(text, None, &mut small).expect("warnings only");
    let warnings: Vec<String> = network.warnings().iter().map(shown).collect();
    assert_eq!(
        warnings,
        [
            "10..15 component `spare` is never used",
            "68..70 nothing here ever does `AA` ? did you mean `aa`?",
            "31..33 nothing here ever does `ab` ? did you mean `aa`?",
            "39..41 nothing here ever does `bb`",
            "43..49 nothing here ever does `b !2` ? did you mean `b !1`?",
        ]
    );
}

#[test]
fn texts_of_any_depth_and_length_are_answered() {
    let refused = |text: &str| {
        let mistakes = network::read(text, None, &mut small).expect_err("too much");
        mistakes[0].message.clone()
    };
    let deep = format!("{}\"a.aut\"{}", "(".repeat(9_999), ")".repeat(9_999));
    assert_eq!(
        refused(&deep),
        "expressions are nested more than 200 deep here"
    );
    let mixed = "\"a.aut\" ||| \"a.aut\" || ".repeat(300) + "\"a.aut\"";
    assert_eq!(
        refused(&mixed),
        "expressions are nested more than 200 deep here"
    );
    let nested = "\"a.aut\" ||| \"a.aut\" || (".repeat(150) + "\"a.aut\"" + &")".repeat(150);
    assert_eq!(
        refused(&nested),
        "expressions are nested more than 200 deep here"
    );
    let group = format!("(\"a.aut\"{})", " ||| \"a.aut\"".repeat(40));
    let product = vec![group; 5].join(" || ");
    assert_eq!(
        refused(&product),
        "this composition has more than 1048576 ways to synchronise"
    );
    let long = "\"a.aut\" ||| ".repeat(2_000) + "\"a.aut\"";
    let network = network::read(&long, None, &mut small).expect("long, but flat");
    assert_eq!((network.components(), network.width()), (2_001, 2_001));
    let lts = small("a.aut").expect("a component");
    let active = (0..lts.states()).find(|&state| !lts.steps(state).is_empty());
    let active = active.expect("a state with steps");
    let distinct: BTreeSet<&Edge> = lts.steps(active).iter().collect();
    let mut steps = 0;
    network.successors(&vec![active; 2_001], &mut |_, _| steps += 1);
    assert_eq!(steps, 2_001 * distinct.len());
}

#[test]
fn the_internal_action_may_have_a_name_of_its_own() {
    let mut open = |_: &str| {
        let labels = ["silent", "i", "b"];
        Ok(random_lts(&mut Rng::with_seed(1), 9, &labels, 3.0))
    };
    let network = network::read(
        "hide b in \"a\" || \"a\" end hide",
        Some("silent"),
        &mut open,
    )
    .expect("a network");
    let labels = network.labels();
    let all: Vec<(&str, bool)> = (0..labels.len() as u32)
        .map(|label| (labels.text(label), labels.is_internal(label)))
        .collect();
    assert!(
        all.contains(&("silent", true)) && all.contains(&("i", false)),
        "{all:?}"
    );
    assert_eq!(all.len(), 2);
    assert!(network::read("hide silent in \"a\" end hide", Some("silent"), &mut open).is_err());
    assert!(network::read("hide i in \"a\" end hide", Some("silent"), &mut open).is_ok());
}

#[test]
fn the_internal_action_may_be_one_that_no_component_has() {
    let text = "hide b in rename aa -> d in \"a\" end rename end hide";
    let network = network::read(text, Some("tick"), &mut small).expect("a network");
    let labels = network.labels();
    let all: BTreeSet<(&str, bool)> = (0..labels.len() as u32)
        .map(|label| (labels.text(label), labels.is_internal(label)))
        .collect();
    let expected = [("d", false), ("i", false), ("tick", true)];
    assert_eq!(all, BTreeSet::from(expected));
}

#[test]
fn what_is_called_internal_in_the_end_is_internal() {
    for text in [
        "rename '(t?)a.*' -> \"${1}i\" in \"a\" end rename",
        "rename 'a(a)' -> \"t$1u\" in \"a\" end rename",
        "rename aa -> tau in \"a\" end rename",
        "par using \"aa\" -> \"tau\", \"b !1\" -> \"b !1\" in \"a\" end par",
    ] {
        let network = network::read(text, None, &mut small).expect(text);
        let labels = network.labels();
        let all: BTreeSet<(&str, bool)> = (0..labels.len() as u32)
            .map(|label| (labels.text(label), labels.is_internal(label)))
            .collect();
        assert_eq!(
            all,
            BTreeSet::from([("b !1", false), ("i", true)]),
            "{text}"
        );
    }
}
