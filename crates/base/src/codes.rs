//! The codes of all errors, warnings and notes: one table, from which the page of codes in the book is made.
//!
//! A code is never given a second meaning: a row that is no longer used is removed, and its number stays free.

use std::fmt;

use crate::diagnostic::Severity;

/// Defines [`Code`] from the rows of the table: number, variant, rule, title, explanation.
macro_rules! codes {
    ($($subject:literal { $($number:literal $name:ident $rule:literal $title:literal $explanation:literal)* })*) => {
        /// What a diagnostic is about, for programs and for looking it up: `E0123`.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u16)]
        pub enum Code {
            $($(#[doc = $title] $name = $number,)*)*
        }

        impl Code {
            /// All codes with the subjects they are grouped by, in the order of their numbers.
            pub const BY_SUBJECT: &[(&str, &[Code])] = &[$(($subject, &[$(Code::$name,)*]),)*];

            /// The name of the rule that is broken, as `causet lint` gives it.
            pub fn rule(self) -> &'static str {
                match self { $($(Code::$name => $rule,)*)* }
            }

            /// What it is, in a few words.
            pub fn title(self) -> &'static str {
                match self { $($(Code::$name => $title,)*)* }
            }

            /// What it means, and the way out.
            pub fn explanation(self) -> &'static str {
                match self { $($(Code::$name => $explanation,)*)* }
            }

            /// The name of the constant.
            pub fn name(self) -> &'static str {
                match self { $($(Code::$name => stringify!($name),)*)* }
            }
        }
    };
}

impl Code {
    /// The severity of most diagnostics with this code.
    pub fn severity(self) -> Severity {
        match self as u16 / 100 {
            10 => Severity::Warning,
            11 => Severity::Note,
            _ => Severity::Error,
        }
    }

    /// The code as it is printed.
    pub fn id(self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "E{:04}", *self as u16)
    }
}

codes! {
    "Traces in the native format" {
        101 MalformedJson "malformed-json" "Malformed JSON"
        "A line of a trace is one JSON object, and this text is not JSON at the place shown. Write the lines with \
         a JSON library. If only the last line is cut off, remove it or read the file with `--lenient`."
        102 DuplicateKey "duplicate-key" "Duplicate key"
        "An object has the same key twice, so one of the two values would be lost. Remove one of them."
        103 UnknownField "unknown-field" "Unknown field"
        "The format has no field of this name. Correct the spelling, put values of variables into `set`, and your \
         own data about the run into `meta` of the header. The help offers the nearest field or lists all."
        104 MissingField "missing-field" "Missing field"
        "A field that every event needs is not there. Each line names its process in `p`."
        105 WrongType "wrong-type" "Value of a wrong type"
        "A field holds a value of another type than it takes. The label says which type is expected. Leave a \
         field out instead of writing `null`."
        106 NumberOutOfRange "number-out-of-range" "Number out of range"
        "Integers have 64 bits and decimals at most 18 significant digits, so that all arithmetic is exact; \
         counts have 32 bits. Round the number, or write it as a string if nothing computes with it."
        107 MisplacedHeader "misplaced-header" "Header after the first line"
        "Only the first line of a file can be a header. Move it to the first line, or give a second run a file \
         of its own."
        108 UnsupportedVersion "unsupported-version" "Unsupported version of the format"
        "The header names a version of the format that this program does not read. Write `\"causet\":1` if the \
         file is in version 1; otherwise read it with a newer program."
        109 BadHeaderValue "bad-header-value" "Wrong value in the header"
        "A field of the header has a value that is not allowed, or `shared` lists a variable twice. The label \
         says what is expected."
        110 EndWithFields "end-with-fields" "End mark with the fields of an event"
        "`end` marks the end of a process and is not an event. Write it on a line of its own, with `p` and `end` \
         only, after the last event of the process."
        111 ToWithoutSend "to-without-send" "Destination without a message"
        "`to` says where the messages in `send` go, and this line sends none. Add `send`, or remove `to`. An \
         event that only receives needs no `to`."
        112 EmptyName "empty-name" "Empty name of a process"
        "A process has a name of at least one character. Give it one."
        113 NotUtf8 "not-utf8" "Text that is not UTF-8"
        "Traces and logs are read as UTF-8. Convert the file: for Latin-1, `iconv -f LATIN1 -t UTF-8` does it."
        120 UnknownProcess "unknown-process" "Unknown process"
        "The header lists the processes of the run, and this one is not among them. Correct the name, add it to \
         `processes`, or leave `processes` out."
        121 ProcessTwice "process-twice" "Process listed twice"
        "The list of processes has the same name twice. Remove one of the two."
        122 EventAfterEnd "event-after-end" "Event after the end of its process"
        "A line marked the end of this process, and a later line is an event of it. Move the end mark after the \
         last event of the process."
        123 ReceiveWithoutSend "receive-without-send" "Receive without a send"
        "A message is received, and no event sends it. Log the send with the same id. If that line was lost, read \
         with `--lenient`: the receive then has no send, and orders are checked that the lost send would exclude."
        124 MessageSentTwice "message-sent-twice" "Message sent twice"
        "Two events send a message with the same id, so it is unclear which of them a receive belongs to. Give \
         each message an id of its own. Several processes may receive the same message."
        125 DuplicateId "duplicate-id" "Two events with one id"
        "The `id` of an event must be unique, and another event has the same one. Give every event an id of its \
         own, or none."
        126 NoSuchEvent "no-such-event" "No such event"
        "`after` names an event that the run does not have. Write `[\"p2\",1]` for the first event of process \
         `p2`, or the `id` of an event."
        127 ClockWithoutOwnEntry "clock-without-own-entry" "Vector clock without an entry of its own"
        "A vector clock counts the event itself, in the entry of its own process, which is therefore 1 or more. \
         Increment that entry before the event is logged."
        128 ClockGoesBack "clock-goes-back" "Vector clock that goes backwards"
        "An entry of the clock is smaller than at an earlier event of the same process, or its own entry has not \
         grown. Write the events of a process in their order, and never reset its clock."
        129 ClockSkips "clock-skips" "Vector clock that skips events"
        "The process's own entry in the clock must grow by 1 with each event, starting at 1. Here it jumps: \
         events are missing from the log. Log every event that the clock counts, or read with `--lenient` to keep \
         the order that is known."
        130 ClockBeyondLog "clock-beyond-log" "Vector clock beyond the log"
        "The clock counts more events of another process than the log holds. Add the rest of the log of that \
         process, or read with `--lenient`."
        131 ClockContradicts "clock-contradicts" "Vector clocks that contradict each other"
        "An event knows less than an event that it depends on. When a message arrives, the clock of the receiver \
         takes the maximum of each entry in its own clock and in the clock of the sender. Correct the program \
         that counts."
        132 ClockOfUnknownProcess "clock-of-unknown-process" "Vector clock of an unknown process"
        "The clock has an entry for a process that the run does not have. Add the log of that process, correct \
         the name, or read with `--lenient` to leave the entry out."
        133 Cycle "cycle" "Cycle of events"
        "These events would have to happen before themselves. One of the edges between them is wrong: a message, \
         a clock, an `after`, or the order in which a shared variable is accessed."
        134 UnknownInit "unknown-init" "Initial value of no variable"
        "`init` gives a value to a name that is neither a shared variable nor `process.variable` of this run. \
         List it in `shared`, or write the name of its process before it."
        135 ReadNotShared "read-not-shared" "Read of a variable that is not shared"
        "`read` lists shared variables, whose accesses may order events. List the variable in `shared`, or \
         remove it here."
        136 HeadersDisagree "headers-disagree" "Headers that disagree"
        "The parts of one run have headers that say different things. Keep the header in one file and remove it \
         from the others."
        137 TooManyEvents "too-many-events" "Too many events"
        "A run can have 4,294,967,294 events. Split it."
        138 NotInPassing "not-in-passing" "Refers to a forgotten event"
        "With `--stream`, or in a server, events are read once and forgotten after use. This event refers to \
         something that was forgotten or is not yet known. Check the trace from a file, without `--stream`."
        139 LineCutOff "line-cut-off" "Line that is cut off"
        "With `--lenient`, or in `causet lint`, a file may end in the middle of a line or document. That part was \
         left out, and its event is missing: the run ends before it. Record the run again, or remove the cut-off \
         part if the run without it is enough."
    }
    "Logs in other formats" {
        201 UnknownFormat "unknown-format" "Unknown format"
        "The beginning of the file fits none of the formats. `causet formats` lists them. Other logs with one \
         JSON object on each line are read with a mapping; `causet map --guess LOG` proposes one."
        202 NotTheFormat "not-the-format" "Not in the format asked for"
        "The file is not in the format that `--format` names. Leave `--format` out, and the format is recognised \
         from the content."
        203 MixedFormats "mixed-formats" "Parts in different formats"
        "The files of one run are in different formats. Give the files of one format only, or convert them first \
         with `causet convert`."
        204 MalformedLine "malformed-line" "Malformed line"
        "A line cannot be read in the format of its file. The label says what was expected there; remove or \
         repair the line."
        205 MalformedDocument "malformed-document" "Malformed document"
        "The file is one document, and it is malformed or cut off. Write it again. If only its end is missing, \
         try `--lenient`, which reads what is left."
        206 MissingInformation "missing-information" "Line that says too little"
        "A line of a known kind lacks or contradicts something that the run needs, such as the process, the \
         sender or the receiver. The label names it. Log that field."
        207 BadLoggedClock "bad-logged-clock" "Malformed vector clock in a log"
        "A vector clock is a JSON object of counts, such as `{\"a\":3,\"b\":1}`, in which the own count is at \
         least 1. Log it in that form."
        208 BadExpression "bad-expression" "Wrong regular expression for a log"
        "The expression in `--regex` or `--delimiter` is malformed or lacks a group. `--regex` needs the groups \
         `host` and `clock`, and usually `event`."
        209 SeveralExecutions "several-executions" "Several executions in one file"
        "The file holds several executions, and one is checked at a time. Choose one with `--execution`. \
         `--delimiter` says what separates them."
        210 SeveralTraces "several-traces" "Spans of several traces"
        "The spans belong to several traces or to none. Choose one with `--execution`, or merge them with \
         `--merge`."
        211 UnknownOperation "unknown-operation" "Unknown operation"
        "A line names an operation or event that its format does not have. The label or the help says which ones \
         are expected."
        212 NoEvents "no-events" "Log without events"
        "No event could be read, so nothing can be checked: a file is empty or in another format, or a directory \
         holds no logs. Check that the run was recorded, and that this is the right file and format."
        213 LogTooLong "log-too-long" "Document too long"
        "A document that must be read as a whole must be smaller than 4 GiB. Split it, or convert it to lines of \
         JSON."
        214 UnknownColumn "unknown-column" "Column of an unknown process"
        "A line of a Spin simulation stands in the column of a process that the log did not introduce. Keep all \
         lines that Spin prints, the first ones included."
        215 ReplayMismatch "replay-mismatch" "Step that does not fit the simulation"
        "A step of a Spin simulation does not fit the steps before it. Record the simulation with `spin -p -g -l \
         -s -r`, or print it with `spin -c`."
    }
    "Mappings" {
        301 MappingMissing "mapping-missing" "No mapping given"
        "The format `mapped` reads any lines of JSON with a mapping that says what they mean. Give one with \
         `--mapping FILE`; `causet map --guess LOG` proposes one."
        302 MalformedMapping "malformed-mapping" "Malformed mapping"
        "The mapping is not TOML at the place shown, or has a rule that does not exist. The chapter on mappings \
         in the book lists the rules."
        303 MappingWithoutProcess "mapping-without-process" "Mapping without processes"
        "The rule `process` of a mapping says which field of a line names the process. Add it, such as `process = \
         \"/node\"`. `causet map --guess LOG` lists the fields of a log."
        304 MappingMisfit "mapping-misfit" "Line that does not fit the mapping"
        "A rule of the mapping points at something that the line lacks or that has another type. Change the \
         rule, or leave such lines out with `[[only]]`."
        305 NoMappingProposed "no-mapping-proposed" "No mapping can be proposed"
        "A mapping is for logs with one JSON object on each line, and the first lines of this file are none. \
         `causet formats` lists what else is read."
    }
    "Formulas" {
        401 TextTooLong "text-too-long" "Text too long"
        "A formula, a property file or a network is longer than the message allows. Split it."
        402 EndsEarly "ends-early" "Formula that ends too early"
        "Something is missing at the end of the text. The label says what was expected there."
        403 Unexpected "unexpected" "Unexpected word or sign"
        "The text has a word or sign in a place where it cannot stand. The label says what was expected; if there \
         is a help, it names the usual mistake."
        404 ExpectedOperator "expected-operator" "Missing operator"
        "Two operands stand side by side. Join them with `&&`, `||`, `->`, `U` or a comparison."
        405 UnmatchedClosing "unmatched-closing" "Closing bracket without an opening one"
        "Nothing is open where this bracket closes. Remove it, or add the opening one."
        406 Unclosed "unclosed" "Never closed"
        "A bracket, comment or block is opened and never closed. Add what is missing at its end."
        407 WrongClosing "wrong-closing" "Wrong closing bracket"
        "A bracket is closed by one of another shape. The label says which one was expected."
        408 UnknownOperator "unknown-operator" "Unknown operator"
        "The sign belongs to another notation. The label says how the operator is written here."
        409 WrongLogic "wrong-logic" "Operator of another logic"
        "CTL has path quantifiers (`AG`, `EF`), LTL has none (`G`, `F`), and a formula belongs to one of the two. \
         Write the operator of this logic, or give the formula as one of the other logic, with `--ctl` or \
         `--ltl`."
        410 NeedsTwoFormulas "needs-two-formulas" "Bracket with one formula"
        "`A[...]` and `E[...]` hold two formulas joined by `U`, `W` or `R`. For one formula write `AG f`, `AF \
         f`, `EG f` or `EF f`."
        411 SecondUntil "second-until" "Two untils in one bracket"
        "`A[...]` and `E[...]` hold one `U`, `W` or `R`. Nest them: `A[f U A[g U h]]`."
        412 UntilOutside "until-outside" "Until outside of brackets"
        "In CTL, `U`, `W` and `R` stand in square brackets: `A[f U g]` or `E[f U g]`. Without `A` or `E` the \
         formula is one of LTL: give it with `--ltl`."
        413 UnclosedText "unclosed-text" "Text that is never closed"
        "A quoted text or name must end on the line on which it starts. Close it with the quote that opened it."
        414 NotANumber "not-a-number" "Malformed number"
        "A number is digits, or digits, a point and digits. A name that starts with a digit needs backquotes."
        415 UnknownCharacter "unknown-character" "Unknown character"
        "The language has no such character. Texts stand in plain double quotes, names with special characters \
         in backquotes."
        416 UnknownEscape "unknown-escape" "Unknown escape"
        "A backslash in a text starts an escape, and this one does not exist. The label lists the escapes. Write \
         `\\\\` for a backslash."
        417 EmptyQuotedName "empty-quoted-name" "Empty name"
        "A name in backquotes has at least one character. Write the name between them."
        418 SingleQuotes "single-quotes" "Text in single quotes"
        "A text stands in double quotes. Replace the single quotes; only the mu-calculus has them, around regular \
         expressions."
        419 NestedTooDeeply "nested-too-deeply" "Nested too deeply"
        "Formulas, macros and networks can be nested only to the depth that the label names. Write long sums as \
         `sum(a, b, ...)`, name parts of a formula with `let`, and give `par` several operands instead of nesting \
         networks."
        420 GrowsTooLarge "grows-too-large" "Formula that grows too large"
        "Quantifiers, definitions or macros multiply when they are expanded, and the result is too large. \
         Quantify over fewer processes, or split the property."
        421 BoundTwice "bound-twice" "Name bound twice"
        "A quantifier binds a name that is bound already. Choose another name."
        422 ReservedWord "reserved-word" "Word of the language as a name"
        "The word has a meaning in the language and cannot be a name here, not even in backquotes. Choose another \
         name."
        423 DefinedTwice "defined-twice" "Name defined twice"
        "Two definitions, properties, parameters or macros have the same name. Rename one of them."
        424 UnknownPropertyKind "unknown-property-kind" "Unknown kind of property"
        "A property starts with its kind: `ctl`, `ltl`, `possibly`, `definitely` or `mu`. A monitor is written \
         `monitor NAME { ... }`, without `property`."
        425 DefinedByItself "defined-by-itself" "Definition that uses itself"
        "A definition or macro is replaced by its text, so it cannot use itself, not even through others. The \
         help shows the cycle. Remove one of the uses."
        426 UnknownDefinition "unknown-definition" "Unknown definition"
        "No `let` defines this name, and no function has it. Correct the name, or define it with `let` in the \
         property file."
        427 WrongArguments "wrong-arguments" "Wrong number of arguments"
        "A definition or macro takes as many arguments as it has parameters. The help shows how it is defined."
        428 NotWritten "not-written" "Property that cannot be written as text"
        "An automaton comes from a file and cannot be written as a formula. Give the file with `--hoa`, or write \
         a monitor."
        429 MonitorWithoutEdges "monitor-without-edges" "Monitor without edges"
        "A monitor moves along its edges, and this one has none. Write at least one, such as `s0 -> s1 on x = \
         1`."
        430 MonitorWithoutBad "monitor-without-bad" "Monitor without a bad state"
        "A violation is a run that can end in a bad state, and this monitor names none. Add `bad s`."
        431 SecondStart "second-start" "Second start of a monitor"
        "A monitor starts in exactly one state. Remove one of the two."
        432 MonitorWithoutStart "monitor-without-start" "Monitor without a start"
        "A monitor starts in exactly one state. Add `start s`."
        433 UnknownState "unknown-state" "Unknown state of a monitor"
        "No edge has this state. Correct the name, or add an edge."
        434 EmptySequence "empty-sequence" "Empty sequence"
        "A sequence has at least one position. Write one such as `{ a ; b }`."
        435 SequenceInFormula "sequence-in-formula" "Sequence within a formula"
        "A sequence or regular expression is a whole property of kind `possibly` or `definitely`, and cannot be a \
         part of a formula or of a definition. Write it as a property of its own, or say the same in LTL."
        436 NotAnOrder "not-an-order" "Not an order of positions"
        "This stands where a sequence `{ a ; b }` or a regular expression `re( a . b )` was expected. Write one \
         of the two."
        437 WithoutFormula "without-formula" "Property without a formula"
        "The property has a name and a kind and no formula. Write the formula after the kind: `property p: ctl AG \
         f`."
        438 KindNotSaid "kind-not-said" "Predicate without a word for when it is to hold"
        "A predicate alone could be meant at every cut, at some cut of some order, or at some cut of every order. \
         Write `AG (...)`, `possibly ...` or `definitely ...`."
    }
    "Names and types in formulas" {
        501 UnknownVariable "unknown-variable" "Unknown variable"
        "No event writes a variable of this name, and `init` does not name it. `causet info` lists all variables. \
         If the name is near to one of them, the help offers it. A text needs double quotes."
        502 AmbiguousVariable "ambiguous-variable" "Ambiguous variable"
        "Several processes have a variable of this name. Write which one is meant: `process.variable`."
        503 ProcessAsValue "process-as-value" "Process where a value is expected"
        "The name is that of a process, not of a variable. Name a variable of it: `p.x`."
        504 UnknownProcessName "unknown-process-name" "Unknown process in a formula"
        "The trace has no process of this name. The help offers the nearest one."
        505 NoProcessMatches "no-process-matches" "No process in the range"
        "The pattern in `procs(\"...\")` matches no process, or the trace has no process. Correct the pattern; \
         `causet info` lists the processes."
        506 NoProcessHasVariable "no-process-has-variable" "No process with the variable"
        "A bound name ranges over the processes that have all the variables named through it, and none has. \
         Correct the name of the variable."
        507 NotAProcess "not-a-process" "Not a process"
        "A process is expected here: its name, or a name that a quantifier binds. Write one."
        508 BadCondition "bad-condition" "Condition that is no comparison of processes"
        "The condition after `where` compares bound names and processes, such as `i != j`. Write conditions on \
         values into the property, after the colon."
        509 ProcessComparedWithValue "process-compared-with-value" "Process compared with a value"
        "A bound name stands for a process, not for a number or a truth value. Compare it with another bound \
         name, a process, or the name of a process in double quotes."
        510 NotNumeric "not-numeric" "Arithmetic on something else than numbers"
        "The operator needs numbers, and an operand is a text or a truth value. Compare such values with `=` and \
         `!=`."
        511 EmptyFold "empty-fold" "Minimum or maximum of nothing"
        "`min` and `max` need at least one value, and no process is left for them. Change the condition after \
         `where`."
        512 NeitherProcessNorVariable "neither-process-nor-variable" "Neither a process nor a variable"
        "`on(...)` takes a label in double quotes, a process or a predicate, and this name is none of them. The \
         help offers names."
        513 ProcessAndVariable "process-and-variable" "Process and variable of one name"
        "The name is that of a process and of a variable. The help shows how each of them is written."
        514 MisplacedEvent "misplaced-event" "Event where a cut is meant"
        "`on(...)` is about the event just executed, so it stands in LTL, monitors and sequences, outside of \
         expressions, folds and another `on`. Combine it with `!`, `&&`, `||` and `->`."
        515 EventWritesNothing "event-writes-nothing" "Event predicate without a variable"
        "`on(P)` is true after an event that wrote a variable of P, if P is true then. This P has no variable. \
         Write a predicate with a variable, a label in double quotes, or a process."
        516 TemporalInPredicate "temporal-in-predicate" "Temporal operator within a predicate"
        "The place takes a predicate about one cut, without temporal operators. Move the operator outside of it, \
         or give the formula with `--ctl` or `--ltl`."
        517 WrongDefinition "wrong-definition" "Definition for another kind of property"
        "A definition that uses operators of one logic is used in a property of another. Write a definition for \
         each of them."
        518 NotACondition "not-a-condition" "Neither true nor false"
        "A formula needs a condition here, and this is a text or another value. Compare it with something."
        519 ParameterAsDefinition "parameter-as-definition" "Parameter where a definition is expected"
        "A parameter of a definition stands for a value or a process, so it takes no arguments. Write the name of \
         a definition instead."
        520 WrongValueType "wrong-value-type" "Value of a wrong type in a formula"
        "Arithmetic and `<` need numbers, and conditions need truth values. The variable or expression has a \
         value of another type; the message says where it comes from. Compare it with `=` or `!=`, or do not \
         write such values into the variable."
        521 RacingWrites "racing-writes" "Variable with racing writes"
        "Two writes of a shared variable are not ordered, so its value is not defined after them. Record what \
         orders them, or write `\"order\":\"observed\"` into the header if the lines stand in the order of one \
         real execution."
    }
    "Mu-calculus" {
        601 Alternation "alternation" "Alternation of fixpoints"
        "Only alternation-free formulas are decided: a least and a greatest fixpoint must not depend on each \
         other. The label shows the cycle, the help a way to avoid it."
        602 UnboundVariable "unbound-variable" "Unbound variable"
        "No `mu` or `nu` around this place binds the name, and no macro has it. Bind it, correct it, or write a \
         label within `<...>` or `[...]`."
        603 NotMonotone "not-monotone" "Variable under a negation"
        "A variable must stand under an even number of negations within its fixpoint; else the fixpoint does not \
         exist. The help names the innermost negation."
        604 ModalityWithoutFormula "modality-without-formula" "Modality without a formula"
        "`<A>` and `[A]` say something about the states after a step. Write a formula after them, such as `true`."
        605 VariableWithParameters "variable-with-parameters" "Variable with parameters"
        "Fixpoints with data parameters are not decided. Write one fixpoint for each value."
        606 DeclarationWithoutFormula "declaration-without-formula" "Declaration without a formula"
        "A declaration needs a formula after it. Write `form` and the formula after the declarations, or leave \
         the declarations out."
        607 DataDefinition "data-definition" "Definition of data"
        "Data types and functions are not evaluated. Write the values as they stand in the labels."
        608 NotOneStep "not-one-step" "Path where one step is expected"
        "Negation, conjunction and disjunction of actions are about single steps, and this is a path. Combine \
         paths with `.`, `|`, `*` and `+`."
        609 BadRegularExpression "bad-regular-expression" "Malformed regular expression"
        "A label in single quotes is a regular expression, and this one is malformed. The message gives the \
         reason; a literal label stands in double quotes."
        610 ValueAsAction "value-as-action" "Value where an action is expected"
        "A value stands where an action is expected. Write it within a label, such as `put(n)`."
        611 TakesNoValues "takes-no-values" "Word that takes no values"
        "The word stands for a set of labels and takes no values. Write the name of an action before the values. \
         A label that starts with this word stands in double quotes."
        612 LabelValue "label-value" "Malformed value in a label"
        "A value in a label is compared as text and never computed. Write the value as it stands in the label, a \
         bound name alone, or `_` for any value."
        613 QuantifiedLabel "quantified-label" "Quantifier that labels cannot express"
        "Labels are compared with patterns, in which a bound name stands at most once, and `exists` binds it. \
         Write one action for each value. For all values, write `[exists n: Nat. put(n)] F`."
        614 LongLabel "long-label" "Label too long"
        "The values of this label make a pattern that is too long. Shorten it, or write `_` for values that do \
         not matter."
        615 LibraryWithoutName "library-without-name" "Library without a name"
        "`library` is followed by the names of files. Write `library ctl.mcl, actl.mcl end_library`."
        616 TooManyLibraries "too-many-libraries" "Too many libraries"
        "The formula loads more libraries than the label allows. Join some of them."
        617 NotALibrary "not-a-library" "Not a library"
        "A library holds macros and nothing else. Move the formula out of it."
        618 MalformedMacro "malformed-macro" "Malformed macro"
        "A macro is written `macro NAME (A, B) = ... end_macro`. The label says what was expected."
        619 UnknownLibrary "unknown-library" "Unknown library"
        "No file of this name is beside the property file (or in the current folder, for a formula on the command \
         line), and no bundled library has it. The label lists the bundled libraries."
        620 EmptyArgument "empty-argument" "Empty argument of a macro"
        "An argument of a macro is empty. Write one, or remove the comma."
    }
    "Models and networks" {
        701 BadModelHeader "bad-model-header" "Malformed header of a model"
        "The first line of an Aldebaran file is `des (0, 5, 4)`: first state, number of transitions, number of \
         states. Write such a line."
        702 BadTransition "bad-transition" "Malformed transition"
        "A transition is one line such as `(0,\"label\",1)`: source, label, target. The label says what is \
         missing."
        703 BadStateNumber "bad-state-number" "Malformed or too large number"
        "A number is missing, malformed or too large: states are numbered from 0 and have 32 bits. The label says \
         which number is expected."
        704 BadLabel "bad-label" "Malformed label"
        "A label is missing, is not UTF-8, or does not end on its line. A label in quotes cannot contain a quote. \
         Label an internal step `i` or `tau`."
        705 Distribution "distribution" "Probability distribution"
        "Probabilistic transition systems are not supported. Write one target for each transition."
        706 EmptyModel "empty-model" "Empty model"
        "The file is empty. Write a system without transitions as `des (0,0,1)`."
        707 LongModelLine "long-model-line" "Line too long"
        "A line has a maximal length of 16 MiB. Check that this is a text file with one transition a line."
        708 StateGap "state-gap" "State far beyond the others"
        "A state has a number far above what the transitions of the file can reach, and would take much memory. \
         Number the states from 0 without large gaps."
        709 TooManyTransitions "too-many-transitions" "Too many transitions"
        "A system can have 4,294,967,295 transitions. Reduce it first."
        710 NoFirstState "no-first-state" "First state that does not exist"
        "The header names a first state that is not among the states. States are numbered from 0."
        720 NetworkSyntax "network-syntax" "Malformed network"
        "The text of a network cannot be read at the place shown. The label says what was expected."
        721 NetworkUnclosed "network-unclosed" "Never closed in a network"
        "A bracket, comment or quoted text of a network is opened and never closed, or closed and never opened. \
         Complete the pair."
        722 NetworkCharacter "network-character" "Unknown sign in a network"
        "The sign means nothing in a network. The operators are `|||` (interleaving), `||` (synchronisation on \
         all labels) and `|[...]|` (on some). The help says more."
        723 ComponentTwice "component-twice" "Component defined twice"
        "Two components have one name. Give one of them another."
        724 UnknownComponent "unknown-component" "Unknown component"
        "The network defines no component of this name. Write the name of a file in double quotes, or define the \
         component first: `component A = \"file.aut\"`."
        725 ComponentUnreadable "component-unreadable" "Component that cannot be read"
        "The file of a component is missing or malformed, or is itself a network. It is looked for in the folder \
         of the network. The label gives the reason."
        726 BadVector "bad-vector" "Malformed synchronisation vector"
        "A synchronisation vector has one entry for each operand: a gate, a label in double quotes, or `_` for an \
         operand that takes no part. At least one entry is not `_`. Regular expressions are not allowed."
        727 InternalInNetwork "internal-in-network" "Internal action in an operator"
        "Internal steps cannot be synchronised, renamed, cut or hidden. Name another label."
        728 EmptyLabel "empty-label" "Renaming to an empty label"
        "The result of a renaming is an empty label, and a label has at least one character. To make a label \
         internal write `hide`, to forbid it `cut`."
        729 TooManyRules "too-many-rules" "Too many synchronisations"
        "The composition has too many ways to synchronise. Compose fewer interleaved operands at once, or give \
         their labels different names."
        730 BadNetworkPattern "bad-network-pattern" "Malformed pattern in a network"
        "A regular expression is malformed, or a replacement names a group that the expression does not have. \
         `$1` is the first group, `${name}` a group with a name, `$$` a dollar sign."
        740 NotAModel "not-a-model" "Not a model"
        "The file is neither an Aldebaran file, which starts with `des (`, nor a network, which is a text that \
         names such files. If it is a recorded run, use `causet check`."
        741 NestedNetworks "nested-networks" "Network within a network"
        "A component of a network cannot be a network. Convert the inner network to a system first, with `causet \
         lts convert NET.exp --to aut -o NET.aut`."
        742 UnclearInterface "unclear-interface" "Unclear inputs and outputs"
        "Every visible label is either an input or an output. `--inputs`, `--outputs` or the file of `--io` leave \
         some label without a side, give one label both, or are malformed. Correct the patterns."
        743 BadPurpose "bad-purpose" "Not a test purpose"
        "A test purpose is a deterministic system that marks states with steps `ACCEPT` and `REFUSE`; its other \
         labels are patterns. The specification must not use the labels of verdicts. The message says what is \
         wrong."
    }
    "Equations and automata" {
        801 MalformedEquations "malformed-equations" "Malformed equation system"
        "The text is not a system of equations, or an equation is missing or given twice. The message says what \
         was expected."
        802 MalformedAutomaton "malformed-automaton" "Malformed automaton"
        "The text is not an automaton in the Hanoi format, or uses parts of it that are not supported, such as \
         alternation. The message says what was expected."
        803 NoAutomaton "no-automaton" "Property without an automaton"
        "Only properties of runs have an automaton: LTL, monitors, sequences and regular expressions. Give one \
         of these."
        804 LargeAutomaton "large-automaton" "Automaton too large"
        "The automaton of the property is too large for the limits. Raise `--memory` or `--timeout` where the \
         command has them, or split the property."
    }
    "Usage, files and limits" {
        901 Usage "usage" "Wrong usage"
        "The command line is not understood. `causet help COMMAND` lists the arguments of a command."
        902 ArgumentsDoNotFit "arguments-do-not-fit" "Arguments that do not fit together"
        "Two arguments do not go together, or one needs another. The help names the ones that do."
        903 NothingToCheck "nothing-to-check" "Nothing to check"
        "No property was given. Give one with `--ctl`, `--ltl`, `--possibly`, `--definitely`, `--mu`, `--hoa` or \
         `--props`; for `causet lts check` with `--mu` or `--props`."
        904 NotReadable "not-readable" "File that cannot be read"
        "A file or directory could not be opened, read or decompressed. The message gives the reason of the \
         system."
        905 NotWritable "not-writable" "File that cannot be written"
        "A file, directory or standard output could not be written. The message gives the reason of the system."
        906 NoSuchFormat "no-such-format" "Unknown name of a format"
        "There is no format of this name. The help lists the names."
        907 NoSuchName "no-such-name" "Unknown name in an argument"
        "An argument names a process, event, property, execution, command or workload that does not exist. The \
         help lists the names or says which command lists them."
        908 EngineRefuses "engine-refuses" "Engine that does not take the property"
        "The engine that `--engine` names does not decide properties of this kind. `--engine auto` chooses one \
         that does."
        909 StreamRefuses "stream-refuses" "Not decided in one pass"
        "The property or the format cannot be checked with `--stream`, or standard input was given, which can be \
         read only once. Check it without `--stream`, or convert the run first."
        910 NotTranslatable "not-translatable" "Not expressible in the other format"
        "The run or the property has something that the other format cannot express. The message names it. \
         `causet check` decides the property itself."
        911 LimitReached "limit-reached" "Limit reached"
        "Time or memory was used up, or the work was interrupted, so the result is unknown. Raise `--timeout` or \
         `--memory`."
        912 WarningsDenied "warnings-denied" "Warnings are denied"
        "`--deny-warnings` was given and there are warnings. Correct what they describe, or leave \
         `--deny-warnings` out."
        913 NotACut "not-a-cut" "Not a cut"
        "A cut is written `p1: 3, p2: 1`: the number of first events of each process. With every event it holds \
         all events that happened before it. The help says how many events a process has, or how many the cut \
         needs."
        914 BadPicture "bad-picture" "Picture that cannot be drawn"
        "The file has another ending than .svg or .png, the picture is too large, or a PNG needs a font or a \
         feature that is missing. Write an SVG, or draw less of the run with `--from` and `--to`."
        915 NoSlice "no-slice" "No slice for the predicate"
        "There is a slice for conditions that each concern one process or one shared variable, for some \
         comparisons of counts, and for combinations of these. This predicate compares several processes in \
         another way, or uses an operator that slices cannot express. `causet check` decides it."
        916 ParametersDoNotFit "parameters-do-not-fit" "Parameters that do not fit"
        "A workload or generator cannot run with these parameters. The help says which ones fit."
        917 NotForModels "not-for-models" "Property that is not about models"
        "A transition system has labels and no variables, so only properties of kind `mu` are checked on it. \
         `causet check` decides the other properties on a trace."
        918 DamagedJournal "damaged-journal" "Damaged journal"
        "The journal of a run does not agree with the notes of its server. `--lenient` reads what is left."
        919 Internal "internal" "Internal error"
        "The program contradicts itself, so it gives no verdict. This is a defect of causet: please report it \
         together with the trace and the properties."
        920 ProcessLost "process-lost" "Process lost"
        "Several processes work together, and one of them was lost or cannot be reached. Messages are missing, so \
         no verdict is given. Start all processes again. The exit status is 4."
        921 BadHosts "bad-hosts" "Hosts that do not fit"
        "A file of hosts has one `host:port` on each line. `--process` is the number of the line of this process, \
         from 0. Correct the file or the number."
        922 NoSecret "no-secret" "No usable secret"
        "A secret or token is missing, empty, or other users can read its file. Put it into a file that only you \
         can read (`chmod 600`), and give it with `--secret-file` or, for servers, with `--token`. Processes that \
         work together may also read it from the variable `CAUSET_SECRET`."
        923 CannotStart "cannot-start" "Program that cannot be started"
        "A process, thread or program could not be started. The message gives the reason."
    }
    "Warnings" {
        1001 EmptyRange "empty-range" "Condition that leaves no processes"
        "The condition after `where` is false for every choice of processes, so the property says nothing. \
         Correct the condition."
        1002 ConstantComparison "constant-comparison" "Comparison that is always the same"
        "The two sides have different types, so they are never equal, and the comparison is always true or always \
         false. Correct one of the sides."
        1003 DivisionByZero "division-by-zero" "Division by zero"
        "A division by zero makes its comparison false at that cut. Test the divisor first, as in `y != 0 && x / \
         y > 1`."
        1004 UnreachableState "unreachable-state" "Unreachable state of a monitor"
        "No path of edges leads to this state, so it is never entered. Add an edge or remove the state."
        1005 UnknownLabel "unknown-label" "Label that never occurs"
        "A formula names a label that no event or step of this run or model has. Correct it if it is a mistake. \
         The help offers the nearest label; `causet lts info` lists the labels of a model."
        1006 Vacuous "vacuous" "Vacuous property"
        "The condition on the left of `->` is never true in the run, so the right side is never checked. Correct \
         the condition, or check a run in which it becomes true."
        1007 NeverEqual "never-equal" "Values that are never equal"
        "The variable always has another type than the value that it is compared with. Correct the value: a text \
         stands in double quotes, a number and a truth value do not."
        1008 LiteralPattern "literal-pattern" "Label that looks like a pattern"
        "A label in double quotes is compared letter by letter. A regular expression stands in single quotes."
        1009 UnusedComponent "unused-component" "Component that is never used"
        "The network defines a component and does not use it. Remove it, or compose it."
        1010 UnknownAction "unknown-action" "Action that never occurs"
        "An operator of the network names a label that its operand never has. Correct the name."
        1011 CountsDiffer "counts-differ" "Counts that differ from the header"
        "The header of a model gives another number of transitions or states than the file has. Everything in the \
         file was read. Check that the file is complete."
        1012 NothingHappened "nothing-happened" "Run without events"
        "The header lists processes, and no line is an event, so a property is decided at the beginning only. \
         Check that the run was recorded to its end."
        1013 BackwardTimes "backward-times" "Times that run backwards"
        "The times of a process mostly decrease from line to line, but the order of the lines is taken as the \
         order of the process. Check whether the newest line of the log comes first, and sort it the other way."
        1014 TauMissing "tau-missing" "No internal steps"
        "No step has the label that `--tau` names, so no step is internal. Correct the label."
        1015 InputsRefused "inputs-refused" "Implementation that refuses inputs"
        "Conformance assumes that an implementation accepts every input in every state. Where this one does not \
         accept an input, what follows that input is not compared."
        1016 LabelsChanged "labels-changed" "Labels that were changed"
        "The format has no escapes, so some labels were written in another form. Choose another format to keep \
         the labels."
        1017 ReportLeftOut "report-left-out" "Report that was not written"
        "A report was not written because a limit was reached, or because there is nothing to show. The message \
         says which. If the help names a limit, raise it."
        1018 UnfinishedJournal "unfinished-journal" "Journal with an unfinished end"
        "The last bytes of a journal are not a complete record and are left out. If a server still writes the \
         journal, it may complete the record."
        1019 TestIncomplete "test-incomplete" "Test that was not completed"
        "Some steps were not recorded, or a limit or a failure ended the test early. Run it again with more \
         time."
        1020 TimeContradictsOrder "time-contradicts-order" "Times that contradict the order"
        "An event comes after another one and is earlier by the clock. Times never order events; check the \
         clocks, or how messages are matched."
        1021 IsolatedProcess "isolated-process" "Isolated process"
        "Nothing orders the events of this process and of any other process, so all their orders are checked. Log \
         the messages between them, or their vector clocks."
        1022 Race "race" "Race"
        "Two writes of a shared variable are not ordered, so its value is not defined after them. Order them by \
         messages or clocks, or write `\"order\":\"observed\"` into the header if the lines are one execution."
        1023 NoCutDrawn "no-cut-drawn" "Verdict without a cut"
        "No single order shows the verdict, so no cut is drawn. `causet check --explain` tells how the verdict \
         came about."
        1024 OpenToOthers "open-to-others" "Directory that others can read"
        "Other users of the machine can read the directory of the runs. Close it with `chmod 700`."
        1025 PurposeLabel "purpose-label" "Label of a purpose that never occurs"
        "No label of the specification matches a pattern of the purpose. A pattern must match a whole label. \
         Correct the pattern."
        1026 LogNote "note" "How a log was understood"
        "The log was understood in a way that you should know. Read the message; nothing is wrong with the log."
    }
    "Notes" {
        1102 ConstantVariable "constant-variable" "Variable that never changes"
        "A variable is written several times, always with the same value, so no property can depend on the time \
         of a write. Log a variable that changes, or leave this one out."
        1103 MessageNeverReceived "message-never-received" "Message that is never received"
        "The message is still in transit when the run ends, or its receive is missing from the log. If it was \
         received, log the receive: without it nothing orders the sender before the receiver."
        1104 UnorderedProcesses "unordered-processes" "Processes that nothing orders"
        "No message, clock or edge orders any two processes, so all orders of their events are checked. Log the \
         messages between them (`send`, `recv`) or their vector clocks."
        1105 ForbiddenLabel "forbidden-label" "Forbidden label that does not occur"
        "The property forbids a label, and no event has it. This is what the property asks for. Check the \
         spelling if the event should be possible."
        1106 FilesLeftOut "files-left-out" "Files that are not read"
        "A directory holds files that are not logs of the run, and they are not read. Name a file itself to read \
         it."
        1107 ServerHint "server-hint" "How to end the server"
        "A server was started and runs until it is interrupted. Press Ctrl-C to end it."
    }
    "Servers" {
        1201 ServerNotStarted "server-not-started" "Server that cannot be started"
        "The server cannot listen on an address, or one of its parts cannot start. The message gives the reason. \
         Choose another address or port if this one is taken."
        1202 RunsNotKept "runs-not-kept" "Runs that cannot be kept"
        "The directory of the runs cannot be used or written, so the server accepts no more events. Free some \
         space, or choose another directory with `--data`."
        1203 FollowedFile "followed-file" "Line of a followed file"
        "A line of a file that is followed was refused, or the file cannot be read. The message says why."
        1204 DamagedRun "damaged-run" "Damaged run"
        "The record of a run in the directory of the server is damaged and was set aside. The server tells the \
         clients which events it still has."
        1205 ReactionFailed "reaction-failed" "Reaction that failed"
        "A webhook or a command that reports verdicts cannot be set up, or it failed. The message gives the \
         reason."
        1206 OpenAddress "open-address" "Address open to other machines"
        "A server that other machines can reach needs a token and a certificate. Give `--token`, `--tls-cert` \
         and `--tls-key`, or listen on 127.0.0.1."
        1207 BadCertificate "bad-certificate" "Certificate that cannot be used"
        "A certificate or key cannot be read or does not fit. The message gives the reason."
        1208 RefusedSpans "refused-spans" "Spans that were refused"
        "Spans of a run could not be read or could not be added to the run. The message gives the reason."
        1209 NotSent "not-sent" "Run that was not sent"
        "The server refused the run or could not be reached. The message gives its answer."
        1210 RefusedEvent "refused-event" "Event or request that was refused"
        "The server refused a header, an event or a request of a client. The message gives the reason."
    }
    "Tests of programs" {
        1301 AdapterFailed "adapter-failed" "Adapter that failed"
        "The adapter between the tester and the program cannot be started, sent something that the protocol does \
         not allow, or ended early. The message gives the last lines that it wrote."
        1302 NotATestCase "not-a-test-case" "Not a test case"
        "The file is not a test case that can be run. `causet lts tests --cases DIR` writes test cases."
        1303 OtherSpecification "other-specification" "Test case of another specification"
        "A test case sends something that is no input of `--spec`. Give the specification that the test cases \
         were made from."
    }
}
