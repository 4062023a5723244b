//! Spans over gRPC: the one call of the trace service, with bytes for messages.
//!
//! The call is written down by hand, for there is only one; generated code would have to be generated.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use prost::Message;
use prost::bytes::{Buf, BufMut, Bytes};
use tonic::Status;
use tonic::codec::{Codec, CompressionEncoding, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::server::{Grpc, UnaryService};

use super::export::Coding;
use super::http::run_of;
use super::messages::ExportResponse;
use super::{NotTaken, Receiver, TURN};

/// Takes an export.
pub(super) async fn export(State(receiver): State<Arc<Receiver>>, request: Request) -> Response {
    let run = run_of(request.headers());
    let turn = tokio::time::timeout(TURN, receiver.room.acquire()).await;
    let Ok(Ok(_turn)) = turn else {
        return Status::unavailable("too many requests are worked on").into_http();
    };
    let mut grpc = Grpc::new(Raw)
        .accept_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(receiver.rules.request);
    let call = Call {
        receiver: Arc::clone(&receiver),
        run,
    };
    grpc.unary(call, request).await.map(Body::new)
}

struct Call {
    receiver: Arc<Receiver>,
    run: Option<String>,
}

type Answer = Result<tonic::Response<Vec<u8>>, Status>;

impl UnaryService<Bytes> for Call {
    type Response = Vec<u8>;
    type Future = Pin<Box<dyn Future<Output = Answer> + Send>>;

    fn call(&mut self, request: tonic::Request<Bytes>) -> Self::Future {
        let (receiver, run) = (Arc::clone(&self.receiver), self.run.take());
        Box::pin(async move {
            let taken = receiver
                .take(Coding::Protobuf, request.into_inner(), run)
                .await;
            let refused = taken.map_err(|not_taken| match not_taken {
                NotTaken::Wrong(what) => Status::invalid_argument(what),
                NotTaken::Later(what) => Status::unavailable(what),
            })?;
            let response = ExportResponse::of(&refused).encode_to_vec();
            Ok(tonic::Response::new(response))
        })
    }
}

/// Messages as bytes.
#[derive(Clone, Copy)]
struct Raw;

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Bytes;
    type Encoder = Raw;
    type Decoder = Raw;

    fn encoder(&mut self) -> Raw {
        Raw
    }

    fn decoder(&mut self) -> Raw {
        Raw
    }
}

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, message: Vec<u8>, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        into.put_slice(&message);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}
