//! The public API of the crates that follow semantic versioning, listed in `docs/api`.
//!
//! `cargo xtask api` writes the lists, and `cargo xtask tidy` compares them with the sources, so that a change of the API
//! is a change of a file that a review sees. The lists are made from the sources with a parser: the JSON that rustdoc
//! writes is more complete, but needs a nightly compiler.

mod listing;
mod modules;
mod tokens;

use std::fs;
use std::path::Path;

use self::listing::Listing;
use self::modules::Modules;
use crate::tidy::tree::Tree;

/// The crates that promise something, by name and folder.
pub(crate) const PROMISED: &[(&str, &str)] = &[
    ("causet", "crates/causet"),
    ("causet-record", "crates/record"),
];

/// The public API of one crate.
pub(crate) struct Api {
    /// Where its list is kept.
    pub(crate) path: String,
    /// One line for each item.
    pub(crate) text: String,
    /// How many types, traits, functions, constants and macros it has, methods and modules apart.
    pub(crate) names: usize,
}

/// The APIs of the promised crates that the tree holds.
pub(crate) fn listed(tree: &Tree) -> Result<Vec<Api>, String> {
    let roots = PROMISED.iter().filter_map(|(name, folder)| {
        let root = format!("{folder}/src/lib.rs");
        tree.text(&root)?;
        Some((name, root))
    });
    roots.map(|(name, root)| api(tree, name, &root)).collect()
}

fn api(tree: &Tree, name: &str, root: &str) -> Result<Api, String> {
    let modules = Modules::read(root, |path| tree.text(path))?;
    let listing = Listing::of(&name.replace('-', "_"), &modules);
    Ok(Api {
        path: format!("docs/api/{name}.txt"),
        text: listing.text(),
        names: listing.names,
    })
}

/// Writes the lists.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let tree = Tree::read(root)?;
    for api in listed(&tree)? {
        let path = root.join(&api.path);
        let written = path
            .parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&path, &api.text));
        written.map_err(|error| format!("{} cannot be written ({error})", api.path))?;
        println!("api: {} has {} names", api.path, api.names);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The list of a crate `causet` that consists of these files below `crates/causet/src`.
    fn list(files: &[(&str, &str)]) -> Result<(Vec<String>, usize), String> {
        let files: Vec<(String, &str)> = files
            .iter()
            .map(|(path, text)| (format!("crates/causet/src/{path}"), *text))
            .collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
        let apis = listed(&Tree::of(&files))?;
        let lines = apis[0].text.lines().map(str::to_owned).collect();
        Ok((lines, apis[0].names))
    }

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        assert_eq!(list(files).expect("it parses").0, expected);
    }

    #[test]
    fn what_is_reached_from_the_root_is_listed() {
        check(
            &[
                (
                    "lib.rs",
                    "mod a; pub mod b; mod c; pub use a::{Kept, other as renamed}; pub use c::d::Deep;",
                ),
                (
                    "a.rs",
                    "pub struct Kept; pub struct Lost; pub fn other() {}",
                ),
                (
                    "b/mod.rs",
                    "pub use crate::a::Kept as Again; pub(crate) fn inner() {}",
                ),
                ("c/mod.rs", "pub mod d { mod e; pub use self::e::Deep; }"),
                (
                    "c/d/e.rs",
                    "pub struct Deep; impl Deep { pub const ONE: u8 = 1; }",
                ),
            ],
            &[
                "pub struct causet::Deep",
                "pub const causet::Deep::ONE: u8",
                "pub struct causet::Kept",
                "pub mod causet::b",
                "pub struct causet::b::Again",
                "pub fn causet::renamed()",
            ],
        );
    }

    #[test]
    fn what_is_hidden_private_or_for_tests_is_not() {
        let root = "
            #[doc(hidden)] pub mod inner { pub struct A; }
            #[doc(hidden)] pub use other::B;
            #[cfg(test)] mod tests { pub struct C; }
            #[cfg(doctest)] pub struct D;
            mod other { pub struct B; #[doc(hidden)] pub struct H; }
            pub use other::H;
            /// Shown.
            pub struct E { pub(crate) a: u8, b: u8, #[doc(hidden)] pub c: u8 }
            impl E { #[doc(hidden)] pub fn f(&self) {} fn g(&self) {} }
            impl From<other::B> for E { fn from(_: other::B) -> E { E } }
            pub(crate) fn h() {}
        ";
        check(&[("lib.rs", root)], &["pub struct causet::E"]);
    }

    #[test]
    fn types_have_their_parts() {
        let root = "
            #[derive(Clone, std::fmt::Debug)] #[non_exhaustive]
            pub struct A<'a, T: Ord> where T: Copy, {
                /// One.
                pub one: &'a [T],
                two: u8,
            }
            pub struct B(pub u8, u8);
            pub enum C { /** x */ X, Y(u8, Vec<u8>,), Z { /// a
                a: u8, }, }
            pub type D<T> = Vec<(T, u8)>;
            pub const E: &str = \"e\";
        ";
        check(
            &[("lib.rs", root)],
            &[
                "#[non_exhaustive] pub struct causet::A<'a, T: Ord> where T: Copy",
                "pub causet::A::one: &'a [T]",
                "impl Clone for causet::A",
                "impl Debug for causet::A",
                "pub struct causet::B",
                "pub causet::B::0: u8",
                "pub enum causet::C",
                "pub causet::C::X",
                "pub causet::C::Y(u8, Vec<u8>)",
                "pub causet::C::Z { a: u8 }",
                "pub type causet::D<T> = Vec<(T, u8)>",
                "pub const causet::E: &str",
            ],
        );
    }

    #[test]
    fn traits_methods_and_implementations_are_listed() {
        let files = [
            (
                "lib.rs",
                "mod a; mod b; pub use a::{A, T}; #[cfg(unix)] pub use a::f; pub use core::Other as O;",
            ),
            (
                "a.rs",
                "pub struct A<X> { x: X }
                 pub trait T: Send { fn must(&self, mut a: u8); fn may() {} type Of; const N: u8; }
                 impl<X> T for A<X> where X: Send {}
                 impl T for str {}
                 pub async fn f(
                    mut a: u8,
                 ) {}
                 #[macro_export] macro_rules! m { () => {} }
                 macro_rules! n { () => {} }",
            ),
            (
                "b.rs",
                "use super::{T as Mine, A};
                 impl<X: Clone> A<X> { pub fn new(mut self, x: X,) -> Self { self } }
                 impl<X> From<X> for A<X> {}
                 impl Mine for &Private {}
                 struct Private;
                 impl Mine for Private {}",
            ),
        ];
        let expected = [
            "pub struct causet::A<X>",
            "pub fn causet::A<X: Clone>::new(self, x: X) -> Self",
            "impl<X> From<X> for causet::A<X>",
            "impl<X> T for causet::A<X> where X: Send",
            "pub use causet::O = core::Other",
            "pub trait causet::T: Send",
            "pub const causet::T::N: u8",
            "pub fn causet::T::may() { .. }",
            "pub fn causet::T::must(&self, a: u8)",
            "pub type causet::T::Of",
            "impl T for str",
            "#[cfg(unix)] pub async fn causet::f(a: u8)",
            "pub macro causet::m!",
        ];
        check(&files, &expected);
        assert_eq!(list(&files).expect("it parses").1, 5);
    }

    #[test]
    fn imports_that_lead_back_end() {
        let root = "pub mod a { pub use super::b; pub use crate::a as again; }
                    pub mod b { pub use x::x; pub use super::a; }";
        let expected = [
            "pub mod causet::a",
            "pub mod causet::a::again",
            "pub mod causet::a::b",
            "pub mod causet::a::b::a",
            "pub use causet::a::b::x = x::x",
            "pub mod causet::b",
            "pub mod causet::b::a",
            "pub mod causet::b::a::again",
            "pub mod causet::b::a::b",
            "pub use causet::b::x = x::x",
        ];
        check(&[("lib.rs", root)], &expected);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let error = |files| list(files).expect_err("it is wrong");
        assert_eq!(
            error(&[("lib.rs", "mod a;")]),
            "crates/causet/src/a.rs: the file is missing"
        );
        let broken = error(&[("lib.rs", "mod a;"), ("a.rs", "fn a() {}\nfn {}")]);
        assert!(broken.starts_with("crates/causet/src/a.rs: "), "{broken}");
    }
}
