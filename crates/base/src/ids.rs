//! Typed indices: a process, an event, a variable, a text and a message are never confused.

/// Declares a `u32` index type; an index counts from zero.
macro_rules! index_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(u32);

        impl $name {
            /// The identifier with this number; ids above four thousand million do not exist.
            #[inline]
            pub const fn new(index: u32) -> Self {
                Self(index)
            }

            /// The identifier behind the first `length` ones.
            #[inline]
            pub fn from_len(length: usize) -> Self {
                Self(u32::try_from(length).expect("the builder refuses inputs beyond 32 bits"))
            }

            /// The number, to index a column with.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The number as it is stored.
            #[inline]
            pub const fn raw(self) -> u32 {
                self.0
            }
        }
    };
}

index_type! {
    /// A process: its place in the trace's list of processes.
    ProcessId
}
index_type! {
    /// An event: its place in the order in which the events were read.
    EventId
}
index_type! {
    /// A variable, shared or local to one process.
    VarId
}
index_type! {
    /// A piece of text kept once: a label, a name, a text value.
    TextId
}
index_type! {
    /// A message, identified by the name it carries in the log.
    MessageId
}

/// Where something stood in the input: which part (file) and which line of it, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The part of the run, 0 for the first file.
    pub part: u32,
    /// The line in that part, from 1; 0 when the input has no lines.
    pub line: u32,
}
