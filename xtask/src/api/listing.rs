//! The public items of a crate, one line each: what a caller can name, found by following `pub mod` and `pub use`.
//!
//! A line is what the documentation shows without its sentences: the signature of a function, the public fields of a
//! struct, the variants of an enum, the methods of a trait, the traits that are implemented. Items that are hidden from the
//! documentation promise nothing and are left out. What a macro expands to is not seen.

use std::collections::{BTreeMap, BTreeSet};

use syn::{
    Attribute, Field, Fields, FnArg, GenericArgument, Generics, ImplItem, Item, ItemImpl,
    ItemTrait, Pat, PathArguments, Signature, TraitItem, Type, Visibility, WhereClause,
};

use super::modules::{Import, ModuleId, Modules, Target, attributes, imports_of, name_of};
use super::tokens::text_of;

/// The list of a crate.
pub(super) struct Listing {
    /// By path, with the item before its parts and its methods.
    lines: BTreeSet<(String, Rank, String)>,
    /// How many types, traits, functions, constants and macros there are, methods and modules apart.
    pub(super) names: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Item,
    Part,
    Method,
    Impl,
}

impl Listing {
    /// Lists the public items below the root.
    pub(super) fn of(name: &str, modules: &Modules) -> Listing {
        let mut lister = Lister {
            modules,
            open: Vec::new(),
            paths: BTreeMap::new(),
            listing: Listing {
                lines: BTreeSet::new(),
                names: 0,
            },
        };
        lister.module(0, name);
        lister.macros(name);
        lister.impls();
        lister.listing
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (_, _, line) in &self.lines {
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

struct Lister<'a> {
    modules: &'a Modules,
    /// The modules that are being listed, since a re-export may lead back.
    open: Vec<ModuleId>,
    /// The public paths of an item.
    paths: BTreeMap<(ModuleId, String), Vec<String>>,
    listing: Listing,
}

impl<'a> Lister<'a> {
    fn line(&mut self, path: &str, rank: Rank, attributes: &[Attribute], text: &str) {
        let line = conditions(attributes) + text;
        self.listing.lines.insert((path.to_owned(), rank, line));
    }

    fn name(&mut self, path: &str, attributes: &[Attribute], text: &str) {
        self.listing.names += 1;
        self.line(path, Rank::Item, attributes, text);
    }

    fn module(&mut self, id: ModuleId, path: &str) {
        if self.open.contains(&id) {
            return;
        }
        self.open.push(id);
        let modules = self.modules;
        for item in &modules.get(id).items {
            if is_hidden(attributes(item)) {
                continue;
            }
            match item {
                Item::Mod(module) if is_public(&module.vis) => {
                    let name = module.ident.to_string();
                    if let Some(child) = modules.child(id, &name) {
                        self.open_module(child, &format!("{path}::{name}"), &module.attrs);
                    }
                }
                Item::Use(reexport) if is_public(&reexport.vis) => {
                    for import in imports_of(item) {
                        self.reexport(id, &import, path, &reexport.attrs);
                    }
                }
                _ => self.item(id, item, &format!("{path}::{}", name_of(item)), &[]),
            }
        }
        self.open.pop();
    }

    fn open_module(&mut self, id: ModuleId, path: &str, attributes: &[Attribute]) {
        let text = format!("pub mod {path}");
        self.line(path, Rank::Item, attributes, &text);
        self.module(id, path);
    }

    fn reexport(&mut self, id: ModuleId, import: &Import, path: &str, attributes: &[Attribute]) {
        let path = format!("{path}::{}", import.name);
        match self.modules.imported(id, import) {
            Target::Module(module) => self.open_module(module, &path, attributes),
            Target::Item(module, item) => self.item(module, item, &path, attributes),
            Target::Foreign(origin) => {
                let text = format!("pub use {path} = {}", origin.join("::"));
                self.name(&path, attributes, &text);
            }
        }
    }

    /// Lists an item if it is public, under the path by which it is reached; `by` are the attributes of its re-export.
    fn item(&mut self, id: ModuleId, item: &'a Item, path: &str, by: &[Attribute]) {
        let own = attributes(item);
        if is_hidden(own) || !has_public_declaration(item) {
            return;
        }
        let all = [by, own].concat();
        let head = |kind: &str, generics: &Generics, rest: &str| {
            let bounds = where_text(generics.where_clause.as_ref());
            format!("pub {kind} {path}{}{rest}{bounds}", text_of(generics))
        };
        match item {
            Item::Const(item) => {
                let text = format!("pub const {path}: {}", text_of(&item.ty));
                self.name(path, &all, &text);
            }
            Item::Static(item) => {
                let text = format!("pub static {path}: {}", text_of(&item.ty));
                self.name(path, &all, &text);
            }
            Item::Fn(item) => self.name(path, &all, &function(&item.sig, path)),
            Item::Type(item) => {
                let text = head("type", &item.generics, &format!(" = {}", text_of(&item.ty)));
                self.name(path, &all, &text);
            }
            Item::Struct(item) => {
                self.name(path, &all, &head("struct", &item.generics, ""));
                self.fields(path, item.fields.iter());
            }
            Item::Union(item) => {
                self.name(path, &all, &head("union", &item.generics, ""));
                self.fields(path, item.fields.named.iter());
            }
            Item::Enum(item) => {
                self.name(path, &all, &head("enum", &item.generics, ""));
                for variant in &item.variants {
                    let fields = variant_fields(&variant.fields);
                    let text = format!("pub {path}::{}{fields}", variant.ident);
                    self.line(path, Rank::Part, &variant.attrs, &text);
                }
            }
            Item::Trait(item) => {
                let bounds = match item.supertraits.is_empty() {
                    true => String::new(),
                    false => format!(": {}", text_of(&item.supertraits)),
                };
                self.name(path, &all, &head("trait", &item.generics, &bounds));
                self.trait_items(path, item);
            }
            _ => return,
        }
        self.derives(path, item);
        let key = (id, name_of(item));
        self.paths.entry(key).or_default().push(path.to_owned());
    }

    fn fields<'f>(&mut self, path: &str, fields: impl Iterator<Item = &'f Field>) {
        for (index, field) in fields.enumerate() {
            if is_public(&field.vis) && !is_hidden(&field.attrs) {
                let name = field.ident.as_ref();
                let name = name.map_or_else(|| index.to_string(), ToString::to_string);
                let text = format!("pub {path}::{name}: {}", text_of(&field.ty));
                self.line(path, Rank::Part, &field.attrs, &text);
            }
        }
    }

    fn trait_items(&mut self, path: &str, item: &ItemTrait) {
        for item in &item.items {
            let (attributes, text) = match item {
                TraitItem::Fn(item) => {
                    let body = item.default.as_ref().map_or("", |_| " { .. }");
                    let path = format!("{path}::{}", item.sig.ident);
                    (&item.attrs, function(&item.sig, &path) + body)
                }
                TraitItem::Type(item) => {
                    let text = format!("pub type {path}::{}", item.ident);
                    (&item.attrs, text)
                }
                TraitItem::Const(item) => {
                    let text = format!("pub const {path}::{}: {}", item.ident, text_of(&item.ty));
                    (&item.attrs, text)
                }
                _ => continue,
            };
            if !is_hidden(attributes) {
                self.line(path, Rank::Part, attributes, &text);
            }
        }
    }

    fn derives(&mut self, path: &str, item: &Item) {
        for attribute in attributes(item) {
            if !attribute.path().is_ident("derive") {
                continue;
            }
            // A list of traits always parses.
            let _ = attribute.parse_nested_meta(|derived| {
                if let Some(last) = derived.path.segments.last() {
                    let text = format!("impl {} for {path}", last.ident);
                    self.line(path, Rank::Impl, &[], &text);
                }
                Ok(())
            });
        }
    }

    /// Macros are exported from the root, wherever they stand.
    fn macros(&mut self, name: &str) {
        for (_, module) in self.modules.all() {
            for item in &module.items {
                let Item::Macro(item) = item else { continue };
                let is_exported = item.attrs.iter().any(|a| a.path().is_ident("macro_export"));
                if let Some(ident) = item.ident.as_ref().filter(|_| is_exported)
                    && !is_hidden(&item.attrs)
                {
                    let path = format!("{name}::{ident}");
                    self.name(&path, &item.attrs, &format!("pub macro {path}!"));
                }
            }
        }
    }

    fn impls(&mut self) {
        for (id, module) in self.modules.all() {
            for item in &module.items {
                if let Item::Impl(item) = item
                    && !is_hidden(&item.attrs)
                {
                    match &item.trait_ {
                        Some((path, _)) => self.trait_impl(id, item, path),
                        None => self.methods(id, item),
                    }
                }
            }
        }
    }

    fn methods(&mut self, id: ModuleId, item: &ItemImpl) {
        for path in self.public_paths(id, &item.self_ty) {
            for inner in &item.items {
                let (visibility, attributes, text) = match inner {
                    ImplItem::Fn(method) => {
                        let (name, generics) = (&method.sig.ident, text_of(&item.generics));
                        let text = function(&method.sig, &format!("{path}{generics}::{name}"));
                        let bounds = where_text(item.generics.where_clause.as_ref());
                        (&method.vis, &method.attrs, text + &bounds)
                    }
                    ImplItem::Const(item) => {
                        let (name, ty) = (&item.ident, text_of(&item.ty));
                        let text = format!("pub const {path}::{name}: {ty}");
                        (&item.vis, &item.attrs, text)
                    }
                    _ => continue,
                };
                if is_public(visibility) && !is_hidden(attributes) {
                    self.line(&path, Rank::Method, attributes, &text);
                }
            }
        }
    }

    /// An implementation belongs to its type, or to its trait if the type is of another crate.
    fn trait_impl(&mut self, id: ModuleId, item: &ItemImpl, path: &syn::Path) {
        let Some(last) = path.segments.last() else {
            return;
        };
        if arguments(&last.arguments).any(|ty| self.is_private(id, ty)) {
            return;
        }
        let generics = text_of(&item.generics);
        let bounds = where_text(item.generics.where_clause.as_ref());
        let (types, traits) = (
            self.public_paths(id, &item.self_ty),
            self.paths_of(id, path),
        );
        for path in &types {
            let given = match &*item.self_ty {
                Type::Path(ty) => ty.path.segments.last().map(|last| text_of(&last.arguments)),
                _ => None,
            };
            let (last, given) = (text_of(last), given.unwrap_or_default());
            let text = format!("impl{generics} {last} for {path}{given}{bounds}");
            self.line(path, Rank::Impl, &item.attrs, &text);
        }
        if types.is_empty() && !self.is_private(id, &item.self_ty) {
            for path in &traits {
                let (last, ty) = (text_of(last), text_of(&item.self_ty));
                let text = format!("impl{generics} {last} for {ty}{bounds}");
                self.line(path, Rank::Impl, &item.attrs, &text);
            }
        }
    }

    /// The public paths of a type that is written in a module.
    fn public_paths(&self, id: ModuleId, ty: &Type) -> Vec<String> {
        match ty {
            Type::Path(ty) => self.paths_of(id, &ty.path),
            _ => Vec::new(),
        }
    }

    fn paths_of(&self, id: ModuleId, path: &syn::Path) -> Vec<String> {
        let key = self.declared(id, path);
        key.and_then(|key| self.paths.get(&key))
            .cloned()
            .unwrap_or_default()
    }

    /// Whether a type is of this crate, but not public.
    fn is_private(&self, id: ModuleId, ty: &Type) -> bool {
        match ty {
            Type::Path(ty) => self
                .declared(id, &ty.path)
                .is_some_and(|key| !self.paths.contains_key(&key)),
            Type::Reference(ty) => self.is_private(id, &ty.elem),
            _ => false,
        }
    }

    /// The module and the name by which this crate declares what a path names.
    fn declared(&self, id: ModuleId, path: &syn::Path) -> Option<(ModuleId, String)> {
        if path.leading_colon.is_some() {
            return None;
        }
        let names = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        match self.modules.resolve(id, &names.collect::<Vec<_>>()) {
            Target::Item(module, item) => Some((module, name_of(item))),
            Target::Module(_) | Target::Foreign(_) => None,
        }
    }
}

/// The signature of a function, with its path in the place of its name.
fn function(signature: &Signature, path: &str) -> String {
    let mut signature = signature.clone();
    for input in &mut signature.inputs {
        match input {
            FnArg::Receiver(receiver) => receiver.mutability = None,
            FnArg::Typed(argument) => {
                if let Pat::Ident(name) = &mut *argument.pat {
                    name.mutability = None;
                }
            }
        }
    }
    signature.inputs.pop_punct();
    if let Some(bounds) = &mut signature.generics.where_clause {
        bounds.predicates.pop_punct();
    }
    let name = format!("fn {}", signature.ident);
    let text = text_of(&signature).replacen(&name, &format!("fn {path}"), 1);
    format!("pub {text}")
}

fn variant_fields(fields: &Fields) -> String {
    let typed = |field: &Field| match &field.ident {
        Some(name) => format!("{name}: {}", text_of(&field.ty)),
        None => text_of(&field.ty),
    };
    let list: Vec<String> = fields.iter().map(typed).collect();
    match fields {
        Fields::Named(_) => format!(" {{ {} }}", list.join(", ")),
        Fields::Unnamed(_) => format!("({})", list.join(", ")),
        Fields::Unit => String::new(),
    }
}

fn where_text(clause: Option<&WhereClause>) -> String {
    let Some(clause) = clause else {
        return String::new();
    };
    let mut clause = clause.clone();
    clause.predicates.pop_punct();
    format!(" {}", text_of(clause))
}

/// The types between the angle brackets.
fn arguments(arguments: &PathArguments) -> impl Iterator<Item = &Type> {
    let given = match arguments {
        PathArguments::AngleBracketed(given) => Some(&given.args),
        _ => None,
    };
    given.into_iter().flatten().filter_map(|given| match given {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// The attributes that say when there is an item, and that it may grow.
fn conditions(attributes: &[Attribute]) -> String {
    let kept = attributes.iter().filter(|attribute| {
        attribute.path().is_ident("cfg") || attribute.path().is_ident("non_exhaustive")
    });
    kept.map(|attribute| text_of(attribute) + " ").collect()
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("doc")
            && attribute
                .parse_args::<syn::Ident>()
                .is_ok_and(|word| word == "hidden")
    })
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn has_public_declaration(item: &Item) -> bool {
    match item {
        Item::Const(item) => is_public(&item.vis),
        Item::Enum(item) => is_public(&item.vis),
        Item::Fn(item) => is_public(&item.vis),
        Item::Static(item) => is_public(&item.vis),
        Item::Struct(item) => is_public(&item.vis),
        Item::Trait(item) => is_public(&item.vis),
        Item::Type(item) => is_public(&item.vis),
        Item::Union(item) => is_public(&item.vis),
        _ => false,
    }
}
