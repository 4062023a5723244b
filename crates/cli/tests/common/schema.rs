//! The published JSON Schemas, and whether an object is as they say.

use std::path::Path;
use std::sync::LazyLock;

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

/// The schemas, compiled once for each test binary.
static PUBLISHED: LazyLock<Published> = LazyLock::new(Published::compile);

struct Published {
    schemas: Schemas,
    report: SchemaIndex,
    error: SchemaIndex,
}

impl Published {
    fn compile() -> Published {
        let mut schemas = Schemas::new();
        let mut compiler = Compiler::new();
        let mut compile = |name: &str| {
            let path = path(name);
            let compiled = compiler.compile(&path, &mut schemas);
            compiled.unwrap_or_else(|error| panic!("{path}: {error:#}"))
        };
        let (report, error) = (compile("check.json"), compile("error.json"));
        Published {
            schemas,
            report,
            error,
        }
    }
}

/// The path of a published schema.
pub(crate) fn path(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    folder.join(name).display().to_string()
}

/// Whether the object is a report of `check` or of `lts check`.
pub(crate) fn is_report(object: &Value) -> bool {
    object.get("causet").is_some() && object.get("results").is_some()
}

/// What the schema of such an object has against it; `None` also for objects that have no published schema.
pub(crate) fn flaw(object: &Value) -> Option<String> {
    let published = &*PUBLISHED;
    let schema = if is_report(object) {
        published.report
    } else if object["error"].is_object() {
        published.error
    } else {
        return None;
    };
    let valid = published.schemas.validate(object, schema);
    valid.err().map(|error| format!("{error:#}"))
}
