//! The modules of a crate as syntax trees, and what a path in one of them names.

use std::collections::BTreeMap;

use syn::{Attribute, Item, UseTree};

/// Imports of imports are followed this far.
const MAX_IMPORTS: usize = 32;

/// A crate without its tests; the first module is the root.
pub(super) struct Modules {
    all: Vec<Module>,
}

/// The number of a module.
pub(super) type ModuleId = usize;

pub(super) struct Module {
    parent: ModuleId,
    children: BTreeMap<String, ModuleId>,
    pub(super) items: Vec<Item>,
    imports: Vec<Import>,
}

/// One name that a `use` brings into a module.
pub(super) struct Import {
    pub(super) name: String,
    path: Vec<String>,
    /// Whether the path begins with `::`, that is, with the name of another crate.
    is_global: bool,
}

/// What a path names.
pub(super) enum Target<'a> {
    Module(ModuleId),
    Item(ModuleId, &'a Item),
    /// Something of another crate, or of the prelude.
    Foreign(Vec<String>),
}

impl Modules {
    /// Reads a crate from the file of its root, with the files of its modules; `source` gives the text of a path.
    pub(super) fn read<'t>(
        root: &str,
        source: impl Fn(&str) -> Option<&'t str>,
    ) -> Result<Modules, String> {
        let mut modules = Modules { all: Vec::new() };
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        let text = source(root).ok_or_else(|| format!("{root}: the file is missing"))?;
        modules.add(0, parsed(root, text)?, folder, &source)?;
        Ok(modules)
    }

    fn add<'t>(
        &mut self,
        parent: ModuleId,
        items: Vec<Item>,
        folder: &str,
        source: &impl Fn(&str) -> Option<&'t str>,
    ) -> Result<ModuleId, String> {
        let id = self.all.len();
        let items: Vec<Item> = items.into_iter().filter(|item| !is_test(item)).collect();
        self.all.push(Module {
            parent,
            children: BTreeMap::new(),
            imports: items.iter().flat_map(imports_of).collect(),
            items: Vec::new(),
        });
        for item in &items {
            let Item::Mod(module) = item else { continue };
            let name = module.ident.to_string();
            let below = format!("{folder}/{name}");
            let inside = match &module.content {
                Some((_, items)) => items.clone(),
                None => {
                    let places = [format!("{below}.rs"), format!("{below}/mod.rs")];
                    let found = places.iter().find_map(|path| Some((path, source(path)?)));
                    let (path, text) =
                        found.ok_or_else(|| format!("{}: the file is missing", places[0]))?;
                    parsed(path, text)?
                }
            };
            let child = self.add(id, inside, &below, source)?;
            self.all[id].children.insert(name, child);
        }
        self.all[id].items = items;
        Ok(id)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (ModuleId, &Module)> {
        self.all.iter().enumerate()
    }

    pub(super) fn get(&self, id: ModuleId) -> &Module {
        &self.all[id]
    }

    /// The module that an item `mod name` of this module declares.
    pub(super) fn child(&self, id: ModuleId, name: &str) -> Option<ModuleId> {
        self.all[id].children.get(name).copied()
    }

    /// What an import of a module names.
    pub(super) fn imported(&self, id: ModuleId, import: &Import) -> Target<'_> {
        self.import(id, import, MAX_IMPORTS)
    }

    /// What a path names that is written in a module.
    pub(super) fn resolve(&self, id: ModuleId, path: &[String]) -> Target<'_> {
        self.path(id, path, true, MAX_IMPORTS)
    }

    fn import(&self, id: ModuleId, import: &Import, fuel: usize) -> Target<'_> {
        if import.is_global || fuel == 0 {
            return Target::Foreign(import.path.clone());
        }
        // `use a::a` does not import the `a` that it begins with.
        let with_imports = import.path[0] != import.name;
        self.path(id, &import.path, with_imports, fuel - 1)
    }

    fn path(&self, id: ModuleId, path: &[String], with_imports: bool, fuel: usize) -> Target<'_> {
        let foreign = || Target::Foreign(path.to_vec());
        let Some((first, rest)) = path.split_first() else {
            return Target::Module(id);
        };
        let next = match first.as_str() {
            "crate" => Some(0),
            "self" => Some(id),
            "super" => Some(self.all[id].parent),
            _ => None,
        };
        if let Some(next) = next {
            return self.path(next, rest, true, fuel);
        }
        match self.name(id, first, !rest.is_empty(), with_imports, fuel) {
            Some(Target::Module(next)) if !rest.is_empty() => self.path(next, rest, true, fuel),
            Some(Target::Foreign(mut path)) => {
                path.extend_from_slice(rest);
                Target::Foreign(path)
            }
            Some(target) if rest.is_empty() => target,
            _ => foreign(),
        }
    }

    /// What a name stands for in a module. A name before `::` is a module if there is one, any other an item.
    fn name(
        &self,
        id: ModuleId,
        name: &str,
        is_prefix: bool,
        with_imports: bool,
        fuel: usize,
    ) -> Option<Target<'_>> {
        let module = &self.all[id];
        let child = module.children.get(name).copied().map(Target::Module);
        let named = |item: &&Item| !matches!(item, Item::Mod(_)) && name_of(item) == name;
        let item = module.items.iter().find(named);
        let item = item.map(|item| Target::Item(id, item));
        let own = if is_prefix {
            child.or(item)
        } else {
            item.or(child)
        };
        own.or_else(|| {
            let mut imports = module.imports.iter().filter(|_| with_imports);
            let import = imports.find(|import| import.name == name)?;
            Some(self.import(id, import, fuel))
        })
    }
}

fn parsed(path: &str, text: &str) -> Result<Vec<Item>, String> {
    let file = syn::parse_file(text).map_err(|error| format!("{path}: {error}"))?;
    Ok(file.items)
}

/// The names that an item imports; those of a glob are not known.
pub(super) fn imports_of(item: &Item) -> Vec<Import> {
    let mut imports = Vec::new();
    if let Item::Use(import) = item {
        let is_global = import.leading_colon.is_some();
        leaves(&import.tree, &[], is_global, &mut imports);
    }
    imports
}

fn leaves(tree: &UseTree, before: &[String], is_global: bool, imports: &mut Vec<Import>) {
    let mut add = |name: &syn::Ident, path: &syn::Ident| {
        let mut path = [before, &[path.to_string()]].concat();
        // `a::{self}` is `a`.
        if path.len() > 1 && path[path.len() - 1] == "self" {
            path.pop();
        }
        let name = match name.to_string().as_str() {
            "self" => path[path.len() - 1].clone(),
            name => name.to_owned(),
        };
        imports.push(Import {
            name,
            path,
            is_global,
        });
    };
    match tree {
        UseTree::Path(path) => {
            let before = [before, &[path.ident.to_string()]].concat();
            leaves(&path.tree, &before, is_global, imports);
        }
        UseTree::Name(name) => add(&name.ident, &name.ident),
        UseTree::Rename(rename) => add(&rename.rename, &rename.ident),
        UseTree::Group(group) => {
            for tree in &group.items {
                leaves(tree, before, is_global, imports);
            }
        }
        UseTree::Glob(_) => {}
    }
}

/// The name an item declares; empty if it declares none.
pub(super) fn name_of(item: &Item) -> String {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Mod(item) => &item.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return String::new(),
    };
    ident.to_string()
}

pub(super) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether only tests have the item.
fn is_test(item: &Item) -> bool {
    attributes(item).iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Ident>()
                .is_ok_and(|name| name == "test" || name == "doctest")
    })
}
