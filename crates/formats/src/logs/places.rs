//! The places that matter in JSON lines: only what stands there is kept of a line while it is parsed.
//!
//! ```text
//! /host            host ---- 0          {"sev":"info","host":"a","data":{"x":3,"y":4}}
//! /data/x          data -- x - 1                      0: "a"            1: 3
//! ```
//!
//! Places are JSON pointers, and form a tree by their steps. A line is parsed along that tree; whatever is not in it is
//! passed over. A place within another that is kept is looked for there.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::json::{Key, next_text};
use super::tree::Tree;
use crate::native::Scan;

/// A tree of places.
#[derive(Default, Debug)]
pub(super) struct Places {
    root: Node,
    count: usize,
}

/// Where a place is found in what was kept of a line.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Slot {
    number: usize,
    /// The steps from there.
    steps: Vec<String>,
}

/// What stands at the places of a line; nothing is kept as null.
pub(super) struct Kept<'l>(Vec<Tree<'l>>);

impl<'l> Kept<'l> {
    /// What stands at a place, unless it is nothing.
    pub(super) fn at(&self, slot: &Slot) -> Option<&Tree<'l>> {
        let found = self.0.get(slot.number)?.at(&slot.steps);
        found.filter(|found| **found != Tree::Null)
    }
}

impl Places {
    /// The slots of places by their steps, in the order of the places.
    pub(super) fn of(places: &[&[String]]) -> (Places, Vec<Slot>) {
        let mut sorted = places.to_vec();
        // The shorter one first, so that it is known when something within it is looked for.
        sorted.sort_by_key(|steps| steps.len());
        let mut all = Places::default();
        for steps in sorted {
            all.add(steps);
        }
        let slots = places.iter().map(|steps| all.slot(steps)).collect();
        (all, slots)
    }

    fn add(&mut self, steps: &[String]) {
        let mut node = &mut self.root;
        for step in steps {
            if node.slot.is_some() {
                return;
            }
            node = node.member(step);
        }
        if node.slot.is_none() {
            node.slot = Some(self.count);
            self.count += 1;
        }
    }

    fn slot(&self, steps: &[String]) -> Slot {
        let mut node = &self.root;
        for (depth, step) in steps.iter().enumerate() {
            if node.slot.is_some() {
                return node.slot_for(&steps[depth..]);
            }
            match node.members.iter().find(|(name, _)| name == step) {
                Some((_, member)) => node = member,
                None => break,
            }
        }
        node.slot_for(&[])
    }

    /// What stands at the places of a line.
    pub(super) fn parse<'l>(&self, line: &'l str) -> Result<Kept<'l>, serde_json::Error> {
        let mut kept: Vec<Tree<'l>> = Vec::with_capacity(self.count);
        kept.resize_with(self.count, || Tree::Null);
        if self.scan(line, &mut kept).is_none() {
            self.root.clear(&mut kept);
            let mut document = serde_json::Deserializer::from_str(line);
            let (node, slots) = (&self.root, kept.as_mut_slice());
            Along { node, slots }.deserialize(&mut document)?;
            document.end()?;
        }
        Ok(Kept(kept))
    }

    /// The usual line is an object, and has texts and whole numbers at its places. These are found without the parser of
    /// all that JSON may be; it is asked if there is anything else, or a fault.
    fn scan<'l>(&self, line: &'l str, slots: &mut [Tree<'l>]) -> Option<()> {
        let mut scan = Scan::new(line);
        scan_along(&self.root, &mut scan, slots)?;
        scan.end().ok()
    }
}

fn scan_along<'l>(node: &Node, scan: &mut Scan<'l>, slots: &mut [Tree<'l>]) -> Option<()> {
    if let Some(slot) = node.slot {
        slots[slot] = scan_tree(scan, 0)?;
        return Some(());
    }
    let mut object = scan.open_object("an object").ok()?;
    while let Some(name) = scan.next_key(&mut object).ok()? {
        let name = scan.text(name);
        match node.members.iter().find(|(member, _)| *member == name) {
            Some((_, node)) => {
                node.clear(slots);
                scan_along(node, scan, slots)?;
            }
            None => scan.skip_value().ok()?,
        }
    }
    Some(())
}

/// A value of objects, texts and whole numbers, in objects that are not too deep.
fn scan_tree<'l>(scan: &mut Scan<'l>, depth: u32) -> Option<Tree<'l>> {
    match scan.next()? {
        b'"' => next_text(scan).map(Tree::Text),
        b'{' if depth < DEEPEST => {
            let mut object = scan.open_object("an object").ok()?;
            let mut members = Vec::new();
            while let Some(name) = scan.next_key(&mut object).ok()? {
                let value = scan_tree(scan, depth + 1)?;
                members.push((scan.text(name), value));
            }
            Some(Tree::Object(members))
        }
        b'0'..=b'9' | b'-' => Some(Tree::Number(Cow::Borrowed(scan.number().ok()?))),
        _ => None,
    }
}

/// Deeper objects are left to the parser that knows how deep is too deep.
const DEEPEST: u32 = 16;

/// A step of places.
#[derive(Default, Debug)]
struct Node {
    /// Where what stands here is kept, with all that is in it.
    slot: Option<usize>,
    members: Vec<(String, Node)>,
}

impl Node {
    fn member(&mut self, step: &str) -> &mut Node {
        let known = self.members.iter().position(|(name, _)| name == step);
        let number = known.unwrap_or_else(|| {
            self.members.push((step.to_owned(), Node::default()));
            self.members.len() - 1
        });
        &mut self.members[number].1
    }

    fn slot_for(&self, steps: &[String]) -> Slot {
        Slot {
            number: self.slot.unwrap_or(usize::MAX),
            steps: steps.to_vec(),
        }
    }

    /// Forgets what stands here: of a member that is written twice the last one counts.
    fn clear(&self, slots: &mut [Tree<'_>]) {
        if let Some(slot) = self.slot {
            slots[slot] = Tree::Null;
        }
        self.members.iter().for_each(|(_, node)| node.clear(slots));
    }
}

/// Keeps what stands at the places below a node.
struct Along<'p, 's, 'l> {
    node: &'p Node,
    slots: &'s mut [Tree<'l>],
}

impl<'de> DeserializeSeed<'de> for Along<'_, '_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.node.slot {
            Some(slot) => {
                self.slots[slot] = Tree::deserialize(deserializer)?;
                Ok(())
            }
            None => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Along<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<(), S::Error> {
        let Along { node, slots } = self;
        for number in 0.. {
            let is_meant = |(name, _): &&(String, Node)| element(name) == Some(number);
            let more = match node.members.iter().find(is_meant) {
                Some((_, node)) => {
                    let slots = &mut *slots;
                    items.next_element_seed(Along { node, slots })?
                }
                None => items.next_element::<IgnoredAny>()?.map(drop),
            };
            if more.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let Along { node, slots } = self;
        while let Some(Key(name)) = map.next_key()? {
            match node.members.iter().find(|(member, _)| *member == name) {
                Some((_, node)) => {
                    node.clear(slots);
                    let slots = &mut *slots;
                    map.next_value_seed(Along { node, slots })?;
                }
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// The number of an element that a step means, if it means one.
pub(super) fn element(step: &str) -> Option<usize> {
    let is_number = step == "0" || !step.starts_with(['0', '+']);
    step.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_what_stands_there() {
        let lines = [
            r#"{"a":{"b":[1,{"c":2},"x"],"d":null},"e~":"y","f":true}"#,
            r#"{"a":1,"a":{"b":{"1":5},"b":[]}}"#,
            r#"{"a":{"b":1},"a":{"d":2}}"#,
            r#"[[1,2],{"b":3}]"#,
            r#"{"a":{"b":{"c":-7,"d":"\u00e9"},"d":"z"},"e~":12,"sev":[1.5]}"#,
            "7",
        ];
        let every = [
            "", "a", "a/b", "a/b/1", "a/b/1/c", "a/b/01", "a/d", "e~", "0/1", "1/b", "z",
        ];
        let steps = |place: &str| -> Vec<String> {
            let steps = place.split('/').filter(|step| !step.is_empty());
            steps.map(str::to_owned).collect()
        };
        let alone = every.map(|place| vec![place]);
        let together = [every[1..].to_vec(), every[3..].to_vec(), every.to_vec()];
        for names in alone.into_iter().chain(together) {
            let pointers: Vec<Vec<String>> = names.iter().map(|place| steps(place)).collect();
            let pointers: Vec<&[String]> = pointers.iter().map(Vec::as_slice).collect();
            let (places, slots) = Places::of(&pointers);
            for line in lines {
                let tree: Tree<'_> = serde_json::from_str(line).expect("it is JSON");
                let kept = places.parse(line).expect("it is JSON");
                for (pointer, slot) in pointers.iter().zip(&slots) {
                    let there = tree.at(pointer).filter(|tree| **tree != Tree::Null);
                    assert_eq!(kept.at(slot), there, "{pointer:?} in {line}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_json_is_refused() {
        let (places, _) = Places::of(&[&["a".to_owned()]]);
        for line in ["", "{", "{\"a\":1}}", "{\"b\":[}", "[1,]"] {
            let own = places
                .parse(line)
                .map(|_| ())
                .map_err(|error| error.to_string());
            let whole = serde_json::from_str::<Tree<'_>>(line);
            assert_eq!(own, whole.map(drop).map_err(|error| error.to_string()));
        }
    }
}
