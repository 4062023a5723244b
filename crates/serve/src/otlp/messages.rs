//! The messages of the OpenTelemetry protocol, as far as they say something about a run.
//!
//! They are written down here rather than taken from a crate of generated code, which brings all signals and a kit for
//! programs that are observed; fields that are left out are passed over when a message is read.

use prost::{Message, Oneof};

/// What an exporter sends.
#[derive(Clone, PartialEq, Message)]
pub struct ExportRequest {
    /// Spans by where they were made.
    #[prost(message, repeated, tag = "1")]
    pub resource_spans: Vec<ResourceSpans>,
}

/// What it is answered.
#[derive(Clone, PartialEq, Message)]
pub struct ExportResponse {
    /// Said when something was not taken.
    #[prost(message, optional, tag = "1")]
    pub partial_success: Option<PartialSuccess>,
}

/// What was not taken.
#[derive(Clone, PartialEq, Message)]
pub struct PartialSuccess {
    /// How many spans.
    #[prost(int64, tag = "1")]
    pub rejected_spans: i64,
    /// Why.
    #[prost(string, tag = "2")]
    pub error_message: String,
}

/// The answer to a request that was not understood.
#[derive(Clone, PartialEq, Message)]
pub struct Failure {
    /// The number that gRPC has for it.
    #[prost(int32, tag = "1")]
    pub code: i32,
    /// What is wrong.
    #[prost(string, tag = "2")]
    pub message: String,
}

/// Spans of one resource.
#[derive(Clone, PartialEq, Message)]
pub struct ResourceSpans {
    /// Where they were made.
    #[prost(message, optional, tag = "1")]
    pub resource: Option<Resource>,
    /// The spans by the library that made them.
    #[prost(message, repeated, tag = "2")]
    pub scope_spans: Vec<ScopeSpans>,
}

/// Something that makes spans, most often a process.
#[derive(Clone, PartialEq, Message)]
pub struct Resource {
    /// What is known of it.
    #[prost(message, repeated, tag = "1")]
    pub attributes: Vec<KeyValue>,
}

/// Spans of one library.
#[derive(Clone, PartialEq, Message)]
pub struct ScopeSpans {
    /// The spans.
    #[prost(message, repeated, tag = "2")]
    pub spans: Vec<Span>,
}

/// A span.
#[derive(Clone, PartialEq, Message)]
pub struct Span {
    /// 16 bytes.
    #[prost(bytes = "vec", tag = "1")]
    pub trace_id: Vec<u8>,
    /// 8 bytes.
    #[prost(bytes = "vec", tag = "2")]
    pub span_id: Vec<u8>,
    /// 8 bytes, or none.
    #[prost(bytes = "vec", tag = "4")]
    pub parent_span_id: Vec<u8>,
    /// What is done.
    #[prost(string, tag = "5")]
    pub name: String,
    /// On which side of a call it is.
    #[prost(int32, tag = "6")]
    pub kind: i32,
    /// When it started.
    #[prost(fixed64, tag = "7")]
    pub start_time_unix_nano: u64,
    /// When it ended.
    #[prost(fixed64, tag = "8")]
    pub end_time_unix_nano: u64,
    /// What is known of it.
    #[prost(message, repeated, tag = "9")]
    pub attributes: Vec<KeyValue>,
    /// What happened on the way.
    #[prost(message, repeated, tag = "11")]
    pub events: Vec<Event>,
    /// What it follows from.
    #[prost(message, repeated, tag = "13")]
    pub links: Vec<Link>,
    /// How it ended.
    #[prost(message, optional, tag = "15")]
    pub status: Option<Status>,
}

/// Something that happened during a span.
#[derive(Clone, PartialEq, Message)]
pub struct Event {
    /// When.
    #[prost(fixed64, tag = "1")]
    pub time_unix_nano: u64,
    /// What.
    #[prost(string, tag = "2")]
    pub name: String,
    /// What is known of it.
    #[prost(message, repeated, tag = "3")]
    pub attributes: Vec<KeyValue>,
}

/// A span that another follows from.
#[derive(Clone, PartialEq, Message)]
pub struct Link {
    /// 16 bytes.
    #[prost(bytes = "vec", tag = "1")]
    pub trace_id: Vec<u8>,
    /// 8 bytes.
    #[prost(bytes = "vec", tag = "2")]
    pub span_id: Vec<u8>,
}

/// How a span ended.
#[derive(Clone, PartialEq, Message)]
pub struct Status {
    /// What is said of it.
    #[prost(string, tag = "2")]
    pub message: String,
    /// 1 for well, 2 for badly.
    #[prost(int32, tag = "3")]
    pub code: i32,
}

/// An attribute.
#[derive(Clone, PartialEq, Message)]
pub struct KeyValue {
    /// What it is called.
    #[prost(string, tag = "1")]
    pub key: String,
    /// What it is.
    #[prost(message, optional, tag = "2")]
    pub value: Option<AnyValue>,
}

/// A value.
#[derive(Clone, PartialEq, Message)]
pub struct AnyValue {
    /// It, if there is one.
    #[prost(oneof = "Kind", tags = "1, 2, 3, 4, 5, 6, 7")]
    pub value: Option<Kind>,
}

/// What a value can be.
#[derive(Clone, PartialEq, Oneof)]
pub enum Kind {
    /// A text.
    #[prost(string, tag = "1")]
    Text(String),
    /// A truth value.
    #[prost(bool, tag = "2")]
    Bool(bool),
    /// A whole number.
    #[prost(int64, tag = "3")]
    Int(i64),
    /// Any other number.
    #[prost(double, tag = "4")]
    Double(f64),
    /// Several values.
    #[prost(message, tag = "5")]
    Array(ArrayValue),
    /// Several values with names.
    #[prost(message, tag = "6")]
    List(KeyValueList),
    /// Bytes.
    #[prost(bytes, tag = "7")]
    Bytes(Vec<u8>),
}

/// Several values.
#[derive(Clone, PartialEq, Message)]
pub struct ArrayValue {
    /// The values.
    #[prost(message, repeated, tag = "1")]
    pub values: Vec<AnyValue>,
}

/// Several values with names.
#[derive(Clone, PartialEq, Message)]
pub struct KeyValueList {
    /// The values.
    #[prost(message, repeated, tag = "1")]
    pub values: Vec<KeyValue>,
}
