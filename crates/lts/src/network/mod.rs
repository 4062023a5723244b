//! Networks: transition systems composed of others, explored as far as somebody asks.
//!
//! A network is a text in the manner of process algebras, with components in files of their own:
//!
//! ```text
//! (* a sender and a receiver that meet on two gates *)
//! hide send, ack in
//!    "sender.aut" |[send, ack]| "receiver.aut"
//! end hide
//! ```
//!
//! | written | means |
//! |---|---|
//! | `E \|\|\| F` | steps of either, one at a time |
//! | `E \|\| F` | all visible labels together |
//! | `E \|[a, b]\| F` | the labels of gates `a` and `b` together, the others alone |
//! | `par a, b in E \|\| F \|\| G end par` | the same for any number of operands |
//! | `par using a * _ * b -> c in E \|\| F \|\| G end par` | those steps that a vector names, and internal ones |
//! | `hide a in E end hide`, `hide all but a in ...` | labels become the internal `i` |
//! | `rename a -> b in E end rename` | labels get another name |
//! | `cut a in E end cut` | labels become impossible |
//! | `component name = "file.aut"` | before the expression: a name for a file |
//!
//! Binary operators group to the right, whichever they are. A bare word is a gate and stands for all its labels, a text
//! in double quotes is one label, a text in single quotes a regular expression. Labels that synchronise have equal
//! texts. In a vector they need not: a gate stands for the labels of the gate with the same offers in all entries, and
//! the resulting gate keeps them. The internal action is never synchronised, renamed or cut.
//!
//! The way of a network, each arrow one module:
//!
//! ```text
//! text --lex--> tokens --parse--> syntax --compile(components)--> rules --> Network: a Space
//! ```
//!
//! To find the steps of a state, one of the participants of every rule leads: only its steps are gone through, and the
//! others are asked whether they take part. A component that waits for any of many messages would offer all of them again
//! and again; so the one leads that offers the fewest labels where it offers its own (`lead.rs`).

mod compile;
mod lead;
mod lex;
mod parse;
mod pattern;
mod syntax;

use std::collections::HashMap;

use causet_base::Diagnostic;
use causet_solve::space::Space;
use causet_solve::steps::Edge;

use crate::system::{Labels, Lts};

use self::compile::{Compiled, Part, Rule};
use self::lead::Costs;

/// Components and the rules by which they make steps together. A state is the row of the components' own states.
#[derive(Debug)]
pub struct Network {
    systems: Vec<System>,
    components: Vec<Component>,
    /// The rules of each action, that is of each label of each component, end where those of the next begin.
    rule_starts: Vec<u32>,
    rules: Vec<Joint>,
    partners: Vec<Part>,
    labels: Labels,
    warnings: Vec<Diagnostic>,
}

/// Reads a network; `open` fetches the system of a file, and says why it cannot.
///
/// The label `tau` of the components, and no other, is the internal action, and hidden steps are called so; if it is not
/// given, the usual names `i` and `tau` are internal. What the systems themselves take for internal does not count.
pub fn read(
    text: &str,
    tau: Option<&str>,
    open: &mut dyn FnMut(&str) -> Result<Lts, String>,
) -> Result<Network, Vec<Diagnostic>> {
    let tokens = lex::tokens(text)?;
    let parsed = parse::parse(text, &tokens).map_err(|mistake| vec![mistake])?;
    let mut compiled = compile::compile(&parsed.expression, tau, open)?;
    compiled.warnings.splice(0..0, parsed.warnings);
    Ok(Network::new(compiled))
}

impl Network {
    /// The labels of the network's steps.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// How many components there are.
    pub fn components(&self) -> usize {
        self.components.len()
    }

    /// How many rules there are by which components make steps.
    pub fn rules(&self) -> usize {
        self.rules.len()
    }

    /// What is suspicious about the text: names that nothing has.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    fn new(compiled: Compiled) -> Network {
        let mut network = Network {
            systems: compiled.systems.iter().map(System::new).collect(),
            components: Vec::new(),
            rule_starts: Vec::new(),
            rules: Vec::new(),
            partners: Vec::new(),
            labels: compiled.labels,
            warnings: compiled.warnings,
        };
        let mut actions = 0;
        for &system in &compiled.components {
            let first_action = actions;
            network.components.push(Component {
                system,
                leading: system,
                first_action,
            });
            actions += compiled.systems[system].labels().len();
        }
        network.index(&compiled.rules, actions);
        network.single_out();
        network
    }

    /// Files the rules under the actions of the participants that lead.
    fn index(&mut self, rules: &[Rule], actions: usize) {
        let costs = Costs::new(self, rules, actions);
        let mut filed: Vec<(usize, usize, &Rule)> = Vec::with_capacity(rules.len());
        for rule in rules {
            let leader = costs.leader(self, rule);
            filed.push((self.action(rule.parts[leader]), leader, rule));
        }
        filed.sort_by_key(|&(action, ..)| action);
        self.rule_starts = vec![0; actions + 1];
        for (action, leader, rule) in filed {
            self.rule_starts[action + 1] += 1;
            self.partners.extend(&rule.parts[..leader]);
            self.partners.extend(&rule.parts[leader + 1..]);
            self.rules.push(Joint {
                label: rule.label,
                end: self.partners.len() as u32,
                partners: (rule.parts.len() - 1) as u32,
            });
        }
        for action in 0..actions {
            self.rule_starts[action + 1] += self.rule_starts[action];
        }
    }

    /// Gives every component a list of the steps with which it leads, unless it leads with all.
    fn single_out(&mut self) {
        let mut known: HashMap<(usize, Vec<bool>), usize> = HashMap::new();
        for number in 0..self.components.len() {
            let Component {
                system,
                first_action,
                ..
            } = self.components[number];
            let starts = &self.rule_starts[first_action..];
            let labels = self.systems[system].labels;
            let leads: Vec<bool> = (0..labels)
                .map(|label| starts[label] < starts[label + 1])
                .collect();
            if leads.iter().all(|&leads| leads) {
                continue;
            }
            let only = self.systems[system].only(&leads);
            let next = self.systems.len();
            let leading = *known.entry((system, leads)).or_insert(next);
            if leading == next {
                self.systems.push(only);
            }
            self.components[number].leading = leading;
        }
    }

    fn action(&self, part: Part) -> usize {
        self.components[part.component as usize].first_action + part.label as usize
    }

    fn steps(&self, component: usize, state: u32) -> &[Edge] {
        self.systems[self.components[component].system].steps(state)
    }

    /// Calls `each` with all ways in which the partners can take their labels.
    fn join(
        &self,
        partners: &[Part],
        label: u32,
        row: &mut [u32],
        each: &mut dyn FnMut(u32, &[u32]),
    ) {
        let Some((partner, others)) = partners.split_first() else {
            return each(label, row);
        };
        let component = partner.component as usize;
        let state = row[component];
        let steps = self.steps(component, state);
        let start = steps.partition_point(|step| step.label < partner.label);
        for step in &steps[start..] {
            if step.label != partner.label {
                break;
            }
            row[component] = step.target;
            self.join(others, label, row, each);
        }
        row[component] = state;
    }
}

/// How many components have their row on the stack.
const NARROW: usize = 32;

impl Space for Network {
    fn width(&self) -> usize {
        self.components.len()
    }

    fn initial(&self, state: &mut [u32]) {
        for (local, component) in state.iter_mut().zip(&self.components) {
            *local = self.systems[component.system].initial;
        }
    }

    fn successors(&self, state: &[u32], each: &mut dyn FnMut(u32, &[u32])) {
        let mut narrow = [0; NARROW];
        let mut wide = Vec::new();
        let row = match narrow.get_mut(..state.len()) {
            Some(row) => row,
            None => {
                wide.resize(state.len(), 0);
                &mut wide[..]
            }
        };
        row.copy_from_slice(state);
        for (number, component) in self.components.iter().enumerate() {
            for step in self.systems[component.leading].steps(state[number]) {
                let action = component.first_action + step.label as usize;
                let rules = self.rule_starts[action]..self.rule_starts[action + 1];
                row[number] = step.target;
                for joint in &self.rules[rules.start as usize..rules.end as usize] {
                    let end = joint.end as usize;
                    let partners = &self.partners[end - joint.partners as usize..end];
                    self.join(partners, joint.label, row, each);
                }
            }
            row[number] = state[number];
        }
    }
}

/// A component: its system, the steps of it that lead, and the number of its first label among those of all components.
#[derive(Debug)]
struct Component {
    system: usize,
    leading: usize,
    first_action: usize,
}

/// A rule without the participant that leads.
#[derive(Debug)]
struct Joint {
    label: u32,
    /// Where its partners end in [`Network::partners`].
    end: u32,
    /// How many they are.
    partners: u32,
}

/// The steps of a component, for each state in order of their labels and each once.
#[derive(Debug)]
struct System {
    initial: u32,
    starts: Vec<u32>,
    edges: Vec<Edge>,
    /// How many labels there are.
    labels: usize,
}

impl System {
    fn new(lts: &Lts) -> System {
        let mut starts = vec![0];
        let mut edges = Vec::with_capacity(lts.step_count());
        let mut ordered = Vec::new();
        for state in 0..lts.states() {
            ordered.clear();
            ordered.extend_from_slice(lts.steps(state));
            ordered.sort_unstable();
            ordered.dedup();
            edges.extend_from_slice(&ordered);
            starts.push(edges.len() as u32);
        }
        System {
            initial: lts.initial(),
            starts,
            edges,
            labels: lts.labels().len(),
        }
    }

    /// The same without the steps of certain labels.
    fn only(&self, wanted: &[bool]) -> System {
        let mut starts = vec![0];
        let mut edges = Vec::new();
        for state in 0..self.states() {
            let steps = self.steps(state).iter();
            edges.extend(steps.filter(|step| wanted[step.label as usize]));
            starts.push(edges.len() as u32);
        }
        System {
            initial: self.initial,
            starts,
            edges,
            labels: self.labels,
        }
    }

    fn states(&self) -> u32 {
        (self.starts.len() - 1) as u32
    }

    fn steps(&self, state: u32) -> &[Edge] {
        let range = self.starts[state as usize]..self.starts[state as usize + 1];
        &self.edges[range.start as usize..range.end as usize]
    }
}
