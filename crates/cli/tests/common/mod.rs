//! What the command-line tests share: a folder of their own, the binary, its output.

#![allow(
    dead_code,
    reason = "each test binary uses its own part of the helpers"
)]

pub(crate) mod schema;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Two candidates that may both be leader in an order other than the recorded one.
pub(crate) const ELECTION: &str = r#"{"causet":1,"processes":["a","b","c"],"init":{"a.leader":false,"b.leader":false}}
{"p":"a","ev":"elect","send":"m1","to":"b","set":{"leader":true}}
{"p":"c","set":{"x":1}}
{"p":"a","ev":"resign","set":{"leader":false}}
{"p":"b","recv":"m1","ev":"vote"}
{"p":"b","ev":"elect","set":{"leader":true,"term":2}}
{"p":"b","send":"m2","to":"c"}
"#;

/// A folder that is removed with the test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    /// A folder with the election in `t.jsonl`.
    pub(crate) fn election() -> Folder {
        let folder = Folder::new();
        folder.write("t.jsonl", ELECTION);
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).expect("a folder");
        }
        std::fs::write(&path, bytes).expect("a file");
        path
    }

    /// Writes a file that only its owner can read.
    pub(crate) fn write_secret(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.write(name, bytes);
        let owner = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(&path, owner).expect("it is closed to others");
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).expect("a text file")
    }

    /// Runs the binary in the folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with_input(arguments, "")
    }

    /// Runs the binary in the folder with something on standard input.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Ran {
        let mut child = Command::new(env!("CARGO_BIN_EXE_causet"))
            .args(arguments)
            .current_dir(self.path())
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // A command that refuses its arguments does not read its input.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        Ran::of(&child.wait_with_output().expect("the binary ends"))
    }
}

/// How a run of the binary ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Ran {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran {
            code: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// Fails unless the binary ended with this status.
    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Fails unless standard error holds this.
    #[track_caller]
    pub(crate) fn complains(self, of: &str) -> Ran {
        assert!(self.stderr.contains(of), "no `{of}` in\n{}", self.stderr);
        self
    }

    /// The object on standard output, which is as its schema says.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        let object = serde_json::from_str(&self.stdout).expect("one JSON object");
        assert_eq!(schema::flaw(&object), None, "{object}");
        object
    }
}
