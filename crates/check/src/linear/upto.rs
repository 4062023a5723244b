//! A scene up to a cut: the words of the runs that end there.

use causet_solve::chains::Chains;

use super::Scene;

/// The part of a scene that lies within a cut.
pub(crate) struct Upto<'a, S> {
    scene: &'a S,
    /// How many events of each chain are in the cut.
    end: Vec<u32>,
}

impl<'a, S: Scene> Upto<'a, S> {
    /// What lies within a cut, given by how many events of each chain are in it.
    pub(crate) fn new(scene: &'a S, end: Vec<u32>) -> Self {
        Upto { scene, end }
    }
}

impl<S: Scene> Chains for Upto<'_, S> {
    fn count(&self) -> usize {
        self.scene.count()
    }

    fn length(&self, chain: usize) -> u32 {
        self.end[chain]
    }

    fn least(&self, chain: usize, x: u32, other: usize) -> u32 {
        self.scene.least(chain, x, other)
    }

    fn most(&self, chain: usize, x: u32, other: usize) -> u32 {
        // The cut is closed: what it holds of the other chains needs nothing outside of it.
        self.scene.most(chain, x, other).min(self.end[other])
    }
}

impl<S: Scene> Scene for Upto<'_, S> {
    fn truth(&self, atom: usize, cut: &[u32], by: Option<usize>) -> bool {
        self.scene.truth(atom, cut, by)
    }

    fn is_event(&self, atom: usize) -> bool {
        self.scene.is_event(atom)
    }

    fn touches(&self, atom: usize, chain: usize, x: u32) -> bool {
        self.scene.touches(atom, chain, x)
    }
}
