//! Our verdicts beside those of another checker: the same systems and formulas as parity games, solved by merc.
//!
//! A state with an equation of the formula is a vertex. Who wants to show the formula moves where one term is enough,
//! the other player where all have to hold; a play that goes on for ever is won by the first in a greatest solution and
//! by the second in a least one. merc's games are about the highest priority seen for ever, and even is the first
//! player; equations that depend on each other have one sign, so two priorities are enough. A vertex without a successor
//! is lost by the player who should move, and goes round in a circle that says so.

#[path = "../../../crates/lts/tests/common/mod.rs"]
mod common;

use causet_base::budget::Budget;
use causet_formula::modal::{Modal, Operator, Sign, Term};
use causet_lts::Lts;
use causet_lts::model::{Model, Options, check};
use causet_solve::bes::Strategy;
use common::{graph, has, questions, satisfied, seeds, system};
use merc_vpg::{
    PG, ParityGame, Player, Priority, Set, VertexIndex, solve_priority_promotion, solve_zielonka,
};

/// A parity game in the making.
struct Game {
    owners: Vec<Player>,
    priorities: Vec<Priority>,
    edges: Vec<(VertexIndex, VertexIndex)>,
}

impl Game {
    /// The game of a formula on a system: every equation at every state.
    fn new(lts: &Lts, modal: &Modal) -> Game {
        let mut game = Game {
            owners: Vec::new(),
            priorities: Vec::new(),
            edges: Vec::new(),
        };
        for state in 0..lts.states() {
            for equation in 0..modal.equations.len() {
                game.add(lts, modal, state, equation);
            }
        }
        game
    }

    fn add(&mut self, lts: &Lts, modal: &Modal, state: u32, number: usize) {
        let vertex = |state: u32, equation: usize| {
            VertexIndex::new(state as usize * modal.equations.len() + equation)
        };
        let from = vertex(state, number);
        let equation = &modal.equations[number];
        let edges = self.edges.len();
        for term in &equation.terms {
            match *term {
                Term::Here(to) => self.edges.push((from, vertex(state, to))),
                Term::Step { action, to } => {
                    for edge in lts.steps(state) {
                        let text = lts.labels().text(edge.label);
                        let internal = lts.labels().is_internal(edge.label);
                        if modal.actions[action].admits(text, internal) {
                            self.edges.push((from, vertex(edge.target, to)));
                        }
                    }
                }
            }
        }
        let (owner, lost) = match equation.operator {
            Operator::Or => (Player::Even, 1),
            Operator::And => (Player::Odd, 0),
        };
        let priority = match equation.sign {
            _ if self.edges.len() == edges => {
                self.edges.push((from, from));
                lost
            }
            Sign::Nu => 0,
            Sign::Mu => 1,
        };
        self.owners.push(owner);
        self.priorities.push(Priority::new(priority));
    }

    fn finish(self) -> ParityGame {
        // merc's games have each edge once and begin at their first vertex; the winner is known of every vertex.
        let mut edges = self.edges;
        edges.sort();
        edges.dedup();
        ParityGame::from_edges(
            VertexIndex::new(0),
            self.owners,
            self.priorities,
            false,
            || edges.iter().copied(),
        )
    }
}

/// The vertices that the first player wins, as two solvers see it.
fn won(game: &ParityGame) -> [Set; 2] {
    let ([zielonka, _], _) = solve_zielonka(game, false);
    let ([promotion, _], _) = solve_priority_promotion(game, false);
    [zielonka, promotion]
}

fn verdict(model: &Model, modal: &Modal) -> bool {
    let options = Options {
        strategy: Strategy::Lean,
        most_claims: 0,
    };
    let checked = check(model, modal, options, &Budget::endless());
    checked.expect("no limit").holds
}

/// The players, the priorities and the dead ends mean what the text above says, on games with one vertex.
#[test]
fn conventions() {
    let lts = |text: &str| {
        let reading = causet_lts::aut::read(&mut text.as_bytes(), 1, &Budget::endless());
        reading.expect("a system").lts
    };
    let stuck = lts("des (0,0,1)\n");
    let round = lts("des (0,1,1)\n(0,a,0)\n");
    for (text, when_stuck, when_round) in [
        ("true", true, true),
        ("false", false, false),
        ("<a> true", false, true),
        ("[a] false", true, false),
        ("nu X. <a> X", false, true),
        ("mu X. <a> X", false, false),
        ("nu X. [a] X", true, true),
        ("mu X. [a] X", true, false),
    ] {
        let modal = common::ask(text).expect("no alternation").modal;
        for (system, wanted) in [(&stuck, when_stuck), (&round, when_round)] {
            for won in won(&Game::new(system, &modal).finish()) {
                assert_eq!(won[modal.main], wanted, "{text}");
            }
        }
    }
}

#[test]
fn verdicts_are_those_of_parity_games() {
    one_share(0);
}

/// The other half of the systems, for the other core.
#[test]
fn verdicts_are_those_of_parity_games_elsewhere() {
    one_share(1);
}

fn one_share(share: u64) {
    let (mut games, mut vertices, mut held) = (0_u32, 0, 0_u32);
    for seed in seeds(share, 2) {
        let lts = system(seed);
        let graph = graph(&lts);
        let model = Model::Stored(lts.clone());
        for question in questions(seed) {
            let modal = &question.modal;
            let place = format!("CAUSET_SEED={seed}: {}", question.text);
            let holds = verdict(&model, modal);
            let meant = satisfied(&graph, &question.formula);
            let game = Game::new(&lts, modal).finish();
            for won in won(&game) {
                let at = |state: u32| won[state as usize * modal.equations.len() + modal.main];
                assert_eq!(at(lts.initial()), holds, "{place}");
                // What our own tests compare with is right at every state, too.
                assert!(
                    (0..lts.states()).all(|state| at(state) == has(meant, state)),
                    "{place}"
                );
            }
            games += 1;
            vertices += game.num_of_vertices();
            held += u32::from(holds);
        }
    }
    println!("{games} games with {vertices} vertices; {held} formulas hold");
}
