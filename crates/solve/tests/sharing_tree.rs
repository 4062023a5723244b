//! Every operation on interval sharing trees against the same operation on sets of points, one by one.

use std::collections::BTreeSet;

use causet_base::budget::{Budget, Spent};
use causet_solve::sharing_tree::{Grid, Span, Tree};
use fastrand::Rng;

type Point = Vec<u32>;
type Points = BTreeSet<Point>;

/// A box small enough to list.
struct Sample<'b> {
    lengths: Vec<u32>,
    grid: Grid<'b>,
}

impl<'b> Sample<'b> {
    fn random(rng: &mut Rng, budget: &'b Budget<'b>) -> Self {
        let layers = rng.usize(..=4);
        let lengths: Vec<u32> = (0..layers).map(|_| rng.u32(..=4)).collect();
        Sample {
            grid: Grid::new(lengths.clone(), budget),
            lengths,
        }
    }

    fn all(&self) -> Points {
        let mut points = vec![Vec::new()];
        for &length in &self.lengths {
            let longer = points.into_iter().flat_map(|point: Point| {
                (0..=length).map(move |x| [point.as_slice(), &[x]].concat())
            });
            points = longer.collect();
        }
        points.into_iter().collect()
    }

    /// A union of rectangles that overlap as they like, some of them taken away again.
    fn tree(&self, rng: &mut Rng) -> Result<(Tree<'b>, Points), Spent> {
        let mut tree = self.grid.nothing()?;
        let mut points = Points::new();
        for _ in 0..rng.usize(..6) {
            let spans = self.spans(rng);
            let rectangle = self.grid.rectangle(&spans)?;
            let inside = |point: &Point| {
                let mut spans = spans.iter();
                spans.all(|span| (span.low..=span.high).contains(&point[span.layer]))
            };
            if rng.u32(..4) == 0 {
                tree = self.grid.difference(&tree, &rectangle)?;
                points.retain(|point| !inside(point));
            } else {
                tree = self.grid.union(&tree, &rectangle)?;
                points.extend(self.all().into_iter().filter(inside));
            }
        }
        Ok((tree, points))
    }

    fn spans(&self, rng: &mut Rng) -> Vec<Span> {
        let layers = (0..self.lengths.len()).filter(|_| rng.bool());
        let layers: Vec<usize> = layers.collect();
        let span = |layer: usize| Span {
            layer,
            low: rng.u32(..=self.lengths[layer]),
            high: rng.u32(..=self.lengths[layer]),
        };
        layers.into_iter().map(span).collect()
    }

    fn members(&self, tree: &Tree<'_>) -> Points {
        let all = self.all().into_iter();
        all.filter(|point| tree.contains(point)).collect()
    }

    fn assert_same(&self, tree: &Tree<'_>, points: &Points, what: &str, seed: u64) {
        let members = self.members(tree);
        assert_eq!(&members, points, "{what}, seed {seed}, {:?}", self.lengths);
        assert_eq!(
            tree.is_empty(),
            points.is_empty(),
            "emptiness of {what}, seed {seed}"
        );
    }
}

fn minus_one(point: &Point, layer: usize) -> Option<Point> {
    let mut point = point.clone();
    point[layer] = point[layer].checked_sub(1)?;
    Some(point)
}

fn is_below(point: &Point, other: &Point) -> bool {
    point.iter().zip(other).all(|(x, y)| x <= y)
}

#[test]
fn set_operations_agree_with_sets_of_points() -> Result<(), Spent> {
    let budget = Budget::endless();
    for seed in 0..2000 {
        let mut rng = Rng::with_seed(seed);
        let sample = Sample::random(&mut rng, &budget);
        let grid = &sample.grid;
        let (one, left) = sample.tree(&mut rng)?;
        let (other, right) = sample.tree(&mut rng)?;
        sample.assert_same(&one, &left, "the tree itself", seed);
        let union = left.union(&right).cloned().collect();
        sample.assert_same(&grid.union(&one, &other)?, &union, "union", seed);
        let both = left.intersection(&right).cloned().collect();
        sample.assert_same(
            &grid.intersection(&one, &other)?,
            &both,
            "intersection",
            seed,
        );
        let rest = left.difference(&right).cloned().collect();
        sample.assert_same(&grid.difference(&one, &other)?, &rest, "difference", seed);
        let outside = sample.all().difference(&left).cloned().collect();
        sample.assert_same(&grid.complement(&one)?, &outside, "complement", seed);
        sample.assert_same(&grid.copy(&one)?, &left, "copy", seed);
        let within = grid.within(&one, &other)?;
        assert_eq!(within, left.is_subset(&right), "inclusion, seed {seed}");
        let part = grid.intersection(&one, &other)?;
        assert!(grid.within(&part, &one)?, "a part, seed {seed}");
    }
    Ok(())
}

#[test]
fn shifts_and_closures_agree_with_sets_of_points() -> Result<(), Spent> {
    let budget = Budget::endless();
    for seed in 0..2000 {
        let mut rng = Rng::with_seed(seed);
        let sample = Sample::random(&mut rng, &budget);
        let (tree, points) = sample.tree(&mut rng)?;
        for layer in 0..sample.lengths.len() {
            let lowered = points.iter().filter_map(|point| minus_one(point, layer));
            let shifted = sample.grid.lowered(&tree, layer)?;
            sample.assert_same(&shifted, &lowered.collect(), "shift", seed);
        }
        let mut below = sample.all();
        below.retain(|point| points.iter().any(|other| is_below(point, other)));
        sample.assert_same(&sample.grid.below(&tree)?, &below, "downward closure", seed);
    }
    Ok(())
}

#[test]
fn the_trees_of_an_event_split_the_box() -> Result<(), Spent> {
    let budget = Budget::endless();
    for seed in 0..200 {
        let sample = Sample::random(&mut Rng::with_seed(seed), &budget);
        let everything = sample.grid.everything()?;
        sample.assert_same(&everything, &sample.all(), "everything", seed);
        for (layer, &length) in sample.lengths.iter().enumerate() {
            for position in 0..=length {
                let (mut with, mut without) = (sample.all(), sample.all());
                with.retain(|point| point[layer] >= position);
                without.retain(|point| point[layer] < position);
                let (a, b) = (
                    sample.grid.containing(layer, position)?,
                    sample.grid.lacking(layer, position)?,
                );
                sample.assert_same(&a, &with, "containing", seed);
                sample.assert_same(&b, &without, "lacking", seed);
            }
        }
    }
    Ok(())
}

#[test]
fn nested_intervals_do_not_take_exponential_time() -> Result<(), Spent> {
    // Two rectangles that overlap in every layer: 2^40 paths, were results not remembered within an operation.
    let budget = Budget::endless();
    let layers = 40;
    let grid = Grid::new(vec![9; layers], &budget);
    let mut tree = grid.everything()?;
    for layer in 0..layers {
        let span = |low, high| Span { layer, low, high };
        let low = grid.rectangle(&[span(0, 6)])?;
        let high = grid.rectangle(&[span(4, 9)])?;
        tree = grid.intersection(&tree, &grid.union(&low, &high)?)?;
    }
    assert_eq!((tree.nodes(), tree.edges()), (2 * layers + 2, 4 * layers));
    assert!(grid.difference(&grid.everything()?, &tree)?.is_empty());
    assert!(grid.within(&grid.everything()?, &tree)?);
    assert!(tree.contains(&vec![5; layers]));
    Ok(())
}

#[test]
fn a_refused_operation_keeps_nothing() -> Result<(), Spent> {
    let rng = &mut Rng::with_seed(7);
    let tight = Budget::endless().with_memory(2000, 0);
    let grid = Grid::new(vec![200; 3], &tight);
    let mut tree = grid.nothing()?;
    let mut refused = None;
    for _ in 0..1000 {
        let at = rng.u32(..160);
        let span = |layer| Span {
            layer,
            low: at,
            high: at + 40,
        };
        let next = grid.rectangle(&[span(0), span(1)])?;
        match grid.union(&tree, &next) {
            Ok(next) => tree = next,
            Err(spent) => {
                refused = Some(spent);
                break;
            }
        }
    }
    assert_eq!(refused, Some(Spent::Memory));
    drop(tree);
    assert_eq!(tight.used(), 0);
    Ok(())
}
