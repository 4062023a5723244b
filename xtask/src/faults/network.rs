//! Three hosts on one machine: network namespaces with a cable between every two of them, each of which can be cut.
//!
//! ```text
//!   10.77.0.1 ---- 10.77.0.2
//!          \        /
//!          10.77.0.3
//! ```
//!
//! Every host has one address, on both of its cables, and reaches each of the others over one cable only. A cable is cut
//! by taking it down, which the kernel of both ends sees, or by letting it lose everything, which nobody sees: both ends
//! are told a wrong hardware address of the other, and what is sent there is dropped. That needs no firewall.
//!
//! Whatever happens to this program, nothing stays behind. A shell waits for the end of its standard input, which comes
//! with the end of this program, a kill included, and then ends all processes of the hosts and removes them.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// How many hosts there are.
pub(super) const HOSTS: usize = 3;
/// A hardware address that nobody has.
const NOWHERE: &str = "02:00:00:00:77:99";

/// How a cable is cut.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    Down,
    Silent,
}

/// The hosts, as long as this lives.
pub(super) struct Network {
    /// Removes everything when its input ends.
    cleaner: Child,
}

impl Network {
    /// Makes the hosts. A folder is removed with them.
    pub(super) fn open(folder: &Path) -> Result<Network, String> {
        let cleaner = Command::new("sh")
            .args(["-c", CLEANER, "sh", &prefix()])
            .arg(folder)
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("`sh` cannot be run: {error}"))?;
        let network = Network { cleaner };
        for host in 0..HOSTS {
            ip(&format!("netns add {}", name(host)))?;
            ip(&format!("-n {} link set lo up", name(host)))?;
        }
        for (one, other) in cables() {
            ip(&format!(
                "link add {} netns {} type veth peer name {} netns {}",
                end(one, other),
                name(one),
                end(other, one),
                name(other)
            ))?;
        }
        for (from, to) in ends() {
            let (host, device) = (name(from), end(from, to));
            let (own, theirs) = (address(from), address(to));
            ip(&format!(
                "-n {host} addr add {own} peer {theirs}/32 dev {device}"
            ))?;
            ip(&format!("-n {host} link set {device} up"))?;
        }
        Ok(network)
    }

    /// A program that will run on a host.
    pub(super) fn command(&self, host: usize, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &name(host), program]);
        command
    }

    /// Cuts the cable between two hosts.
    pub(super) fn cut(&self, one: usize, other: usize, how: Cut) -> Result<(), String> {
        match how {
            Cut::Down => ip(&format!(
                "-n {} link set {} down",
                name(one),
                end(one, other)
            ))
            .map(drop),
            Cut::Silent => {
                lose(one, other)?;
                lose(other, one)
            }
        }
    }

    /// Mends the cable between two hosts, however it was cut. A cable that was down has forgotten its routes.
    pub(super) fn mend(&self, one: usize, other: usize) -> Result<(), String> {
        for (from, to) in [(one, other), (other, one)] {
            let (host, device) = (name(from), end(from, to));
            let (own, theirs) = (address(from), address(to));
            ip(&format!("-n {host} link set {device} up"))?;
            ip(&format!("-n {host} neigh flush dev {device} nud all"))?;
            ip(&format!(
                "-n {host} route replace {theirs} dev {device} src {own}"
            ))?;
        }
        Ok(())
    }

    /// All processes on all hosts.
    pub(super) fn processes(&self) -> Result<BTreeSet<u32>, String> {
        let mut all = BTreeSet::new();
        for host in 0..HOSTS {
            let ids = ip(&format!("netns pids {}", name(host)))?;
            all.extend(
                ids.split_whitespace()
                    .filter_map(|id| id.parse::<u32>().ok()),
            );
        }
        Ok(all)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        drop(self.cleaner.stdin.take());
        // It has nothing to tell.
        let _ = self.cleaner.wait();
    }
}

/// Ends the processes of the hosts, and removes the hosts and a folder, when nobody is there any more.
const CLEANER: &str = "trap '' INT TERM HUP
read -r nothing
for host in 0 1 2; do
  for id in $(ip netns pids $1-$host); do kill -s KILL $id; done
  ip netns del $1-$host
done
rm -rf \"$2\"";

/// Where a host is found by the others.
pub(super) fn address(host: usize) -> String {
    format!("10.77.0.{}", host + 1)
}

/// The pairs of hosts.
pub(super) fn cables() -> [(usize, usize); 3] {
    [(0, 1), (0, 2), (1, 2)]
}

/// Why there can be no hosts here, after the tools were installed if they can be.
pub(super) fn not_possible() -> Option<String> {
    if ip("-V").is_err() {
        let install = "apt-get install --yes --no-install-recommends iproute2";
        // If that does not help, the next line says so.
        let _ = Command::new("sh").args(["-c", install]).output();
    }
    let probe = format!("{}-probe", prefix());
    let made = ip("-V").and_then(|_| ip(&format!("netns add {probe}")));
    // It is there only if it was made.
    let _ = ip(&format!("netns del {probe}"));
    made.err()
}

fn ends() -> impl Iterator<Item = (usize, usize)> {
    cables()
        .into_iter()
        .flat_map(|(one, other)| [(one, other), (other, one)])
}

fn name(host: usize) -> String {
    format!("{}-{host}", prefix())
}

/// How the names of the hosts begin: two of this program do not meet.
fn prefix() -> String {
    format!("causet-faults-{}", std::process::id())
}

/// The end of a cable that is plugged into a host.
fn end(host: usize, other: usize) -> String {
    format!("to{other}from{host}")
}

/// Loses everything that a host sends to another.
fn lose(from: usize, to: usize) -> Result<(), String> {
    let (host, device, theirs) = (name(from), end(from, to), address(to));
    ip(&format!(
        "-n {host} neigh replace {theirs} lladdr {NOWHERE} dev {device} nud permanent"
    ))
    .map(drop)
}

/// What `ip` prints.
fn ip(words: &str) -> Result<String, String> {
    let finished = Command::new("ip")
        .args(words.split_whitespace())
        .output()
        .map_err(|error| format!("`ip` cannot be run: {error}"))?;
    match finished.status.success() {
        true => Ok(String::from_utf8_lossy(&finished.stdout).into_owned()),
        false => {
            let why = String::from_utf8_lossy(&finished.stderr);
            Err(format!("`ip {words}` failed: {}", why.trim()))
        }
    }
}
