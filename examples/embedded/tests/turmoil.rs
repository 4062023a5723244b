//! Hosts of a simulation of turmoil: a primary answers its client before or after its replica has stored the value.

use causet_record::tracing::{RecordingGuard, record_turmoil};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tracing::info;
use turmoil::net::{TcpListener, TcpStream};

async fn client() -> turmoil::Result {
    let mut primary = TcpStream::connect("primary:80").await?;
    primary.write_u8(7).await?;
    info!(value = primary.read_u8().await?, done = true, "done");
    Ok(())
}

async fn primary(wait: bool) -> turmoil::Result {
    let listener = TcpListener::bind("0.0.0.0:80").await?;
    let mut replica = TcpStream::connect("replica:80").await?;
    let (mut client, _) = listener.accept().await?;
    let value = client.read_u8().await?;
    replica.write_u8(value).await?;
    if wait {
        replica.read_u8().await?;
    }
    client.write_u8(value).await?;
    Ok(())
}

async fn replica() -> turmoil::Result {
    let listener = TcpListener::bind("0.0.0.0:80").await?;
    let (mut primary, _) = listener.accept().await?;
    let value = primary.read_u8().await?;
    info!(value, stored = true, "store");
    primary.write_u8(value).await?;
    Ok(())
}

/// Simulates a network in which the replica is nearer to the primary than the client is.
fn simulate(wait: bool) -> RecordingGuard {
    let recorded = record_turmoil();
    let mut sim = turmoil::Builder::new().rng_seed(1).build();
    sim.host("replica", replica);
    sim.host("primary", move || primary(wait));
    sim.client("client", client());
    sim.set_link_latency("primary", "replica", Duration::from_millis(1));
    sim.set_link_latency("primary", "client", Duration::from_millis(20));
    sim.run().expect("no host fails");
    recorded
}

#[test]
fn the_replica_stores_before_the_client_is_done() {
    let recorded = simulate(true);
    causet::assert_all_orders!(recorded, "AG (client.done -> replica.stored)");
}

/// In the simulated order the replica has stored before the client is done.
#[test]
#[should_panic = "The recorded order does not show it"]
fn an_early_answer_is_found_in_another_order() {
    let recorded = simulate(false);
    causet::assert_all_orders!(recorded, "AG (client.done -> replica.stored)");
}
