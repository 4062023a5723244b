//! The equations of a formula mean what its syntax means, on random formulas and random graphs.

mod mu_common;

use causet_formula::modal::Modal;
use causet_formula::mu;
use fastrand::Rng;
use mu_common::{Graph, meaning, random_state, solution};

fn seeds(count: u64) -> impl Iterator<Item = u64> {
    let fixed: Option<u64> = std::env::var("CAUSET_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    fixed.map_or(0..count, |seed| seed..seed + 1)
}

/// What a formula says, without places and texts.
fn skeleton(modal: &Modal) -> String {
    let equations: Vec<_> = modal
        .equations
        .iter()
        .map(|one| (one.sign, one.operator, &one.terms))
        .collect();
    format!("{equations:?} {:?}", modal.actions)
}

#[test]
fn equations_mean_what_formulas_mean() {
    let (mut decided, mut refused) = (0_u32, 0_u32);
    for seed in seeds(30_000) {
        let mut rng = Rng::with_seed(seed);
        let depth = rng.usize(1..7);
        let text = random_state(&mut rng, depth, &[], true);
        let formula =
            mu::read(&text, &|_| None).unwrap_or_else(|e| panic!("seed {seed}: {text}: {e:?}"));
        let modal = match formula.lower() {
            Ok(modal) => modal,
            Err(errors) => {
                let message = &errors[0].message;
                let known = message.contains("fixpoint") || message.contains("odd number");
                assert!(known, "seed {seed}: {text}\n{errors:?}");
                refused += 1;
                continue;
            }
        };
        decided += 1;
        for _ in 0..3 {
            let graph = Graph::random(&mut rng);
            let wanted = meaning(&graph, formula.root(), &mut Vec::new());
            let found = solution(&graph, &modal);
            assert_eq!(found, wanted, "seed {seed}: {text}\n{graph:?}\n{modal:#?}");
        }
    }
    if std::env::var("CAUSET_SEED").is_err() {
        assert!(decided > 20_000, "{decided} decided, {refused} refused");
    }
}

#[test]
fn canonical_spelling_reads_back() {
    for seed in seeds(15_000) {
        let mut rng = Rng::with_seed(seed);
        let depth = rng.usize(1..7);
        let text = random_state(&mut rng, depth, &[], true);
        let first = mu::read(&text, &|_| None).expect("readable");
        let printed = first.to_string();
        let again = mu::read(&printed, &|_| None)
            .unwrap_or_else(|e| panic!("seed {seed}: {text}\n{printed}: {e:?}"));
        assert_eq!(again.to_string(), printed, "seed {seed}: {text}");
        match (first.lower(), again.lower()) {
            (Ok(one), Ok(other)) => {
                assert_eq!(skeleton(&one), skeleton(&other), "seed {seed}: {text}");
            }
            (Err(_), Err(_)) => {}
            (one, other) => panic!("seed {seed}: {text}: {one:?} {other:?}"),
        }
    }
}

#[test]
fn size_is_linear() {
    let sizes: Vec<usize> = [10, 20, 40]
        .map(|count| {
            let path = vec!["(a|b+)*"; count].join(".");
            let choice = vec![format!("({path})"); 3].join("|");
            let equal = vec!["(<a>true)"; count].join(" equ ");
            let plus = format!("{}a{}", "(".repeat(count), ")+".repeat(count));
            let text = format!("<{choice}> ({equal}) and [{plus}] false");
            mu::read(&text, &|_| None)
                .expect("readable")
                .lower()
                .expect("sound")
                .equations
                .len()
        })
        .to_vec();
    assert_eq!(sizes[2] - sizes[1], 2 * (sizes[1] - sizes[0]), "{sizes:?}");
}
