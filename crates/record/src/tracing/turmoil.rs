//! A layer for simulations of turmoil, whose network reports every message to `tracing`.
//!
//! A report names the two sockets and the content of a message, but not the message. A receipt is therefore matched with
//! the first sending between the same sockets with the same content that is not matched yet. For TCP this is exact, since
//! a connection delivers in order. Of equal datagrams of UDP, one that was lost may stand for a later one; then the
//! recording has less order between hosts than the simulation, never more.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::sync::Mutex;

use ::tracing::span::{Attributes, Id};
use ::tracing::{Event, Subscriber};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::{Fields, Layer, MESSAGE, Process, Shared, Text, lock, process_of};
use crate::recording::Recording;
use crate::stamp::Stamp;

/// Target of the reports about messages.
const TARGET: &str = "turmoil";

/// Target, name and field of the span in which a host runs.
const HOST_SPAN: (&str, &str, &str) = ("turmoil::sim", "node", "name");

/// A reset is not read from a socket: it takes effect when it is delivered.
const RESET: &str = "TCP RST";

/// Records a simulation of turmoil 0.7: each host is a process, what its sockets send and receive are messages, and events
/// of `tracing` are recorded as by a [`Layer`]. Crashes and restarts of a host are events `Crash` and `Bounce`.
///
/// The tasks of a host are one process and stay in the order in which they ran.
///
/// It needs the reports of turmoil at level `TRACE`, and it learns the names of hosts when they are registered. Fields
/// `process` have no meaning here.
#[derive(Debug)]
pub struct Turmoil {
    layer: Layer,
    network: Mutex<Network>,
}

#[derive(Debug, Default)]
struct Network {
    hosts: HashMap<IpAddr, String>,
    /// Messages that are not received, in the order of their sending.
    in_flight: HashMap<Packet, VecDeque<Stamp>>,
}

/// What the reports of both ends say about a message.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Packet {
    src: Socket,
    dst: Socket,
    content: String,
}

/// Host and port.
type Socket = (String, u16);

impl Turmoil {
    /// A layer that records into a recording.
    pub fn new(recording: Recording) -> Self {
        Turmoil {
            layer: Layer::new(recording),
            network: Mutex::default(),
        }
    }

    /// Takes in a report; `host` is the host that is running.
    fn report(&self, event: &Event<'_>, host: Option<&Shared>) -> Option<()> {
        let kind = Text::in_event(MESSAGE, event)?;
        let fields = Fields::in_event(event);
        let network = &mut *lock(&self.network);
        match kind.as_str() {
            "New" => {
                let name = fields.text("nodename")?.to_owned();
                network
                    .hosts
                    .insert(fields.text("addr")?.parse().ok()?, name);
            }
            "Crash" | "Bounce" => {
                let name = network.name(fields.text("addr")?.parse().ok()?);
                lock(&self.layer.recorder(&name)).event(&kind).done();
            }
            "Send" => {
                let packet = network.packet(&fields, host)?;
                let sender = self.layer.recorder(&packet.src.0);
                let stamp = lock(&sender).event(packet.label()).send();
                network
                    .in_flight
                    .entry(packet)
                    .or_default()
                    .push_back(stamp);
            }
            "Drop" => {
                let packet = network.packet(&fields, host)?;
                network.in_flight.get_mut(&packet)?.pop_back();
            }
            "Recv" | "Peek" | "Delivered" => {
                let packet = network.packet(&fields, host)?;
                if (packet.content == RESET) == (kind == "Delivered") {
                    let stamp = network.in_flight.get_mut(&packet)?.pop_front()?;
                    let receiver = self.layer.recorder(&packet.dst.0);
                    lock(&receiver).event(packet.label()).recv(&stamp).done();
                }
            }
            _ => {}
        }
        Some(())
    }
}

impl Network {
    fn packet(&self, fields: &Fields, host: Option<&Shared>) -> Option<Packet> {
        let socket = |field| {
            let addr: SocketAddr = fields.text(field)?.parse().ok()?;
            // A socket that is bound to all addresses is one of the host that is running.
            let name = if addr.ip().is_unspecified() {
                lock(host?).name().to_owned()
            } else {
                self.name(addr.ip())
            };
            Some((name, addr.port()))
        };
        Some(Packet {
            src: socket("src")?,
            dst: socket("dst")?,
            content: fields.text("protocol")?.to_owned(),
        })
    }

    fn name(&self, addr: IpAddr) -> String {
        let name = self.hosts.get(&addr).cloned();
        name.unwrap_or_else(|| addr.to_string())
    }
}

impl Packet {
    /// The content without the bytes of data.
    fn label(&self) -> &str {
        self.content.split(" [").next().unwrap_or_default()
    }
}

impl<S> tracing_subscriber::Layer<S> for Turmoil
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let (target, name, field) = HOST_SPAN;
        let metadata = attributes.metadata();
        if (metadata.target(), metadata.name()) != (target, name) {
            return;
        }
        let mut host = Text::of(field);
        attributes.record(&mut host);
        if let (Some(host), Some(span)) = (host.found, context.span(id)) {
            let process = Process(self.layer.recorder(&host));
            span.extensions_mut().replace(process);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        if is_report(event) {
            let host = context.event_scope(event).and_then(process_of);
            self.report(event, host.as_ref());
        } else {
            self.layer.on_event(event, context);
        }
    }
}

/// Events of a test in a file `turmoil.rs` have the same target, but it is their module path, too.
fn is_report(event: &Event<'_>) -> bool {
    let metadata = event.metadata();
    metadata.target() == TARGET && metadata.module_path() != Some(TARGET)
}
