//! Tasks and channels of tokio: a server answers a request before or after it has stored the value.

use causet_record::tokio::{channel, spawn};
use causet_record::{Memory, Recording};

/// A client sends a value to a server and waits for the answer.
async fn request(store_first: bool) -> Memory {
    let (recording, memory) = Recording::builder().to_memory();
    let mut client = recording.process("client");
    let (requests, mut incoming) = channel();
    let (answers, mut answer) = channel();
    let server = spawn(&mut client, "server", async move |mut server| {
        let value = incoming.recv(&mut server).await.expect("a request");
        if store_first {
            server.event("store").set("stored", true).done();
        }
        answers.send(&mut server, value).expect("the client waits");
        if !store_first {
            server.event("store").set("stored", true).done();
        }
    });
    requests.send(&mut client, 7).expect("the server waits");
    let (_, stamp) = answer.take().await.expect("an answer");
    client.event("done").recv(&stamp).set("done", true).done();
    server.join(&mut client).await.expect("no panic");
    memory
}

#[tokio::test]
async fn a_value_is_stored_before_the_client_is_done() {
    let memory = request(true).await;
    causet::assert_all_orders!(memory, "AG (client.done -> server.stored)");
}

/// The server stores before the client runs again, so no assertion on the recorded order fails.
#[tokio::test]
#[should_panic = "The recorded order does not show it"]
async fn an_early_answer_is_found_in_another_order() {
    let memory = request(false).await;
    causet::assert_all_orders!(memory, "AG (client.done -> server.stored)");
}
