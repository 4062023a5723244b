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
        "A line of a trace is one JSON object, and this text is not JSON at the place shown. Write the lines \
         with a JSON library; if the file is cut off there, remove the last line or read it with `--lenient`."
        102 DuplicateKey "duplicate-key" "Duplicate key"
        "An object has the same key twice, so one of the two values would be lost. Remove one of them."
        103 UnknownField "unknown-field" "Unknown field"
        "The format has no field of this name. Correct the spelling, put variables into `set`, values of one \
         event into `data`, and your own data about the run into `meta` of the header."
        104 MissingField "missing-field" "Missing field"
        "A field that every event needs is not there. Each line names its process in `p`."
        105 WrongType "wrong-type" "Value of a wrong type"
        "A field holds a value of another type than it takes. The label says which type is expected; leave the \
         field out instead of writing `null`."
        106 NumberOutOfRange "number-out-of-range" "Number out of range"
        "Integers have 64 bits and decimals at most 18 significant digits, so that all arithmetic is exact; \
         counts have 32 bits. Round the number, or write it as a string if nothing computes with it."
        107 MisplacedHeader "misplaced-header" "Header behind the first line"
        "Only the first line of a file can be a header. Move it to the first line, or give a second run a file \
         of its own."
        108 UnsupportedVersion "unsupported-version" "Unsupported version of the format"
        "The header names a version of the format that this program does not read. Write `\"causet\":1`, or read \
         the file with a newer program."
        109 BadHeaderValue "bad-header-value" "Wrong value in the header"
        "A field of the header has a value that means nothing, or names a variable twice. The label lists what \
         is expected."
        110 EndWithFields "end-with-fields" "End mark with the fields of an event"
        "`end` marks the end of a process and is no event. Write it on a line of its own, after the last event."
        111 ToWithoutSend "to-without-send" "Destination without a message"
        "`to` says where the messages in `send` go, and this line sends none. Add `send`, or remove `to`: a \
         receive needs none."
        112 EmptyName "empty-name" "Empty name of a process"
        "A process has a name of at least one character. Give it one."
        113 NotUtf8 "not-utf8" "Text that is not UTF-8"
        "Traces and logs are read as UTF-8. Convert the file, for example with `iconv -f LATIN1 -t UTF-8`."
        120 UnknownProcess "unknown-process" "Unknown process"
        "The header lists the processes of the run, and this one is not among them. Correct the name, add it to \
         `processes`, or leave `processes` out."
        121 ProcessTwice "process-twice" "Process listed twice"
        "The list of processes has the same name twice. Remove one of the two."
        122 EventAfterEnd "event-after-end" "Event after the end of its process"
        "A line marked the end of this process, and here it goes on. Move the mark behind its last event."
        123 ReceiveWithoutSend "receive-without-send" "Receive without a send"
        "A message is received that no event sends, so what came before the receive is not known. Log the send \
         with the same id, or read with `--lenient` if that line was lost: then orders are checked that the send \
         may rule out."
        124 MessageSentTwice "message-sent-twice" "Message sent twice"
        "Two events send a message with the same id, so its receive cannot be matched. Give each message an id \
         of its own; several processes may receive one message."
        125 DuplicateId "duplicate-id" "Two events with one id"
        "The `id` of an event is its name, and another event has it already. Give every event an id of its own, \
         or none."
        126 NoSuchEvent "no-such-event" "No such event"
        "`after` names an event that the run does not have. Events of a process are counted from 1; an event \
         with an `id` can be named by that."
        127 ClockWithoutOwnEntry "clock-without-own-entry" "Vector clock without an entry of its own"
        "A vector clock counts the event itself, in the entry of its own process, which is therefore 1 or more. \
         Increment that entry before the event is logged."
        128 ClockGoesBack "clock-goes-back" "Vector clock that goes backwards"
        "An entry of the clock is smaller than at an earlier event of the same process. Write the events of a \
         process in its own order, and never reset its clock."
        129 ClockSkips "clock-skips" "Vector clock that skips events"
        "The own entry of the clock jumps over events that are not in the log. Log every event that counts, or \
         read with `--lenient` to keep the order that is known."
        130 ClockBeyondLog "clock-beyond-log" "Vector clock beyond the log"
        "The clock counts more events of another process than the log holds. Add the rest of that log, or read \
         with `--lenient`."
        131 ClockContradicts "clock-contradicts" "Vector clocks that contradict each other"
        "An event knows less than an event that it depends on. Merge the clock of the sender into that of the \
         receiver when a message arrives: the entry-wise maximum."
        132 ClockOfUnknownProcess "clock-of-unknown-process" "Vector clock of an unknown process"
        "The clock has an entry for a process that the run does not have. Add the log of that process, correct \
         the name, or read with `--lenient` to leave the entry out."
        133 Cycle "cycle" "Cycle of events"
        "These events would have to happen before themselves. One of the edges between them is wrong: a message, \
         a clock, an `after`, or the order of accesses to a shared variable."
        134 UnknownInit "unknown-init" "Initial value of no variable"
        "`init` gives a value to something that is neither a shared variable nor `process.variable` of this run. \
         List it in `shared`, or name its process."
        135 ReadNotShared "read-not-shared" "Read of a variable that is not shared"
        "`read` lists shared variables, whose accesses may order events. List the variable in `shared`, or \
         remove it here."
        136 HeadersDisagree "headers-disagree" "Headers that disagree"
        "The parts of one run have headers that say different things. Keep the header in one file and remove it \
         from the others."
        137 TooManyEvents "too-many-events" "Too many events"
        "A run can have 4,294,967,294 events. Split it."
        138 NotInPassing "not-in-passing" "Not understood while events pass"
        "Events that are read once, as they come, are forgotten as soon as they were used, and this one refers \
         to what was forgotten. Write the trace to a file and check it without `--stream`."
        139 LineCutOff "line-cut-off" "Line that is cut off"
        "The file ends in the middle of a line or document, and the event it was about is missing. Remove that \
         line, or read with `--lenient`: the run then ends before it."
    }
    "Logs in other formats" {
        201 UnknownFormat "unknown-format" "Unknown format"
        "The beginning of the file fits none of the formats. `causet formats` lists them; lines of JSON are read \
         with a mapping, which `causet map --guess` proposes."
        202 NotTheFormat "not-the-format" "Not in the format asked for"
        "The file does not look like the format that `--format` names. Leave `--format` out and the format is \
         recognised."
        203 MixedFormats "mixed-formats" "Parts in different formats"
        "The files of one run are in different formats. Give the files of one format only, or convert them first \
         with `causet convert`."
        204 MalformedLine "malformed-line" "Malformed line"
        "A line cannot be read in the format of its file. The label says what was expected there; remove or \
         repair the line."
        205 MalformedDocument "malformed-document" "Malformed document"
        "The file is one document, and it is not well-formed or is cut off. Write it again, or read what is left \
         of it with `--lenient`."
        206 MissingInformation "missing-information" "Line that says too little"
        "A line of a known kind lacks something the run needs, such as the process, the sender or the receiver. \
         Log that field; the label names it."
        207 BadLoggedClock "bad-logged-clock" "Malformed vector clock in a log"
        "A vector clock is a JSON object of counts, such as `{\"a\":3,\"b\":1}`, in which the own count is at \
         least 1. Log it in that form."
        208 BadExpression "bad-expression" "Wrong regular expression for a log"
        "The expression that says how records look is malformed or lacks a group. It needs the groups `host` and \
         `clock`, and usually `event`."
        209 SeveralExecutions "several-executions" "Several executions in one file"
        "The file holds several executions, and one is checked at a time. Choose one with `--execution`."
        210 SeveralTraces "several-traces" "Spans of several traces"
        "The spans belong to several traces or to none. Choose one with `--execution`, or merge them with \
         `--merge`."
        211 UnknownOperation "unknown-operation" "Unknown operation"
        "A line names an operation that its format does not have. The help lists the operations."
        212 NoEvents "no-events" "Log without events"
        "No event could be read, so nothing would be checked. Was the run recorded, and is this the right file \
         and format?"
        213 LogTooLong "log-too-long" "Document too long"
        "A document that must be read as a whole is too long. Split it, or convert it to lines."
        214 UnknownColumn "unknown-column" "Line of an unknown process"
        "A line belongs to a process or node that the log did not introduce. Log all lines of the tool, its \
         first ones included."
        215 ReplayMismatch "replay-mismatch" "Step that does not fit the simulation"
        "A step of a Spin simulation does not fit the steps before it. Record all columns, with `spin -p -g -l \
         -s -r` or `spin -c`."
    }
    "Mappings" {
        301 MappingMissing "mapping-missing" "No mapping given"
        "The format `mapped` reads any lines of JSON with a mapping that says what they mean. Give one with \
         `--mapping FILE`; `causet map --guess LOG` proposes one."
        302 MalformedMapping "malformed-mapping" "Malformed mapping"
        "A line of the mapping is not TOML, or no rule of a mapping. The chapter on mappings lists the rules."
        303 MappingWithoutProcess "mapping-without-process" "Mapping without processes"
        "A mapping says with the rule `process` where a line names its process. Add it, such as `process = \
         \"/node\"`."
        304 MappingMisfit "mapping-misfit" "Line that does not fit the mapping"
        "A rule of the mapping points at something that the line lacks or that has another type. Change the \
         rule, or leave such lines out with `[[only]]`."
        305 NoMappingProposed "no-mapping-proposed" "No mapping can be proposed"
        "A mapping is for logs with one JSON object on each line, and the first lines of this file are none. \
         `causet formats` lists what else is read."
    }
    "Formulas" {
        401 TextTooLong "text-too-long" "Text too long"
        "Formulas, property files and networks have a maximal size. Split the text."
        402 EndsEarly "ends-early" "Formula that ends too early"
        "Something is missing at the end of the text. The label says what was expected there."
        403 Unexpected "unexpected" "Unexpected word or sign"
        "The text goes on with something that cannot stand there. The label says what was expected, the help \
         names the usual mistake."
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
        "CTL has path quantifiers (`AG`, `EF`), LTL has none (`G`, `F`), and a formula belongs to one of the \
         two. Write the operator of this logic, or give the formula as one of the other."
        410 NeedsTwoFormulas "needs-two-formulas" "Bracket with one formula"
        "`A[...]` and `E[...]` hold two formulas joined by `U`, `W` or `R`. For one formula write `AG f`, `AF \
         f`, `EG f` or `EF f`."
        411 SecondUntil "second-until" "Two untils in one bracket"
        "`A[...]` and `E[...]` hold one `U`, `W` or `R`. Nest them: `A[f U A[g U h]]`."
        412 UntilOutside "until-outside" "Until outside of brackets"
        "In CTL an until stands in `A[f U g]` or `E[f U g]`, with square brackets. Without a path quantifier it \
         is a formula of LTL."
        413 UnclosedText "unclosed-text" "Text that is never closed"
        "A quoted text or name ends on the line on which it starts. Close it with the same quote."
        414 NotANumber "not-a-number" "Malformed number"
        "A number is written with digits, or with digits, a point and digits. A name that starts with a digit \
         needs backquotes."
        415 UnknownCharacter "unknown-character" "Unknown character"
        "The language has no such character. Texts stand in plain double quotes, names with special characters \
         in backquotes."
        416 UnknownEscape "unknown-escape" "Unknown escape"
        "A backslash in a text is followed by one of a few characters. A backslash itself is written `\\\\`."
        417 EmptyQuotedName "empty-quoted-name" "Empty name"
        "A name in backquotes has at least one character. Write the name between them."
        418 SingleQuotes "single-quotes" "Text in single quotes"
        "Texts stand in double quotes. Replace the quotes."
        419 NestedTooDeeply "nested-too-deeply" "Nested too deeply"
        "Formulas, macros and networks may be nested to a fixed depth. Write long sums as `sum(a, b, ...)`, and \
         name parts with `let`."
        420 GrowsTooLarge "grows-too-large" "Formula that grows too large"
        "Quantifiers, definitions or macros multiply when they are expanded, and the result is too large. \
         Quantify over fewer processes, or split the property."
        421 BoundTwice "bound-twice" "Name bound twice"
        "A quantifier binds a name that is bound already. Choose another name."
        422 ReservedWord "reserved-word" "Word of the language as a name"
        "The word has a meaning in the language and cannot be a name there. Choose another name, or put it into \
         backquotes."
        423 DefinedTwice "defined-twice" "Name defined twice"
        "Two definitions, properties, parameters or macros have the same name. Rename one of them."
        424 UnknownPropertyKind "unknown-property-kind" "Unknown kind of property"
        "A property starts with its kind: `ctl`, `ltl`, `possibly`, `definitely`, `mu` or `monitor`. The help \
         names the nearest one."
        425 DefinedByItself "defined-by-itself" "Definition that uses itself"
        "Definitions and macros are replaced by what they stand for, so none can use itself. The help shows the \
         cycle; break it."
        426 UnknownDefinition "unknown-definition" "Unknown definition"
        "Nothing of this name is defined by `let`. Correct the name, or define it before it is used."
        427 WrongArguments "wrong-arguments" "Wrong number of arguments"
        "A definition or macro takes as many arguments as it has parameters. The help shows how it is defined."
        428 NotWritten "not-written" "Property that cannot be written as text"
        "An automaton comes from a file and is not written as a formula. Write a monitor, or give the file with \
         `--hoa`."
        429 MonitorWithoutEdges "monitor-without-edges" "Monitor without edges"
        "A monitor moves along its edges, and this one has none. Write at least one, such as `s0 -> s1 on x = \
         1`."
        430 MonitorWithoutBad "monitor-without-bad" "Monitor without a bad state"
        "A violation is a run that can end in a bad state, and this monitor names none. Add `bad s`."
        431 SecondStart "second-start" "Second start of a monitor"
        "A monitor starts in exactly one state. Remove one of the two."
        432 MonitorWithoutStart "monitor-without-start" "Monitor without a start"
        "A monitor starts in one state. Add `start s`."
        433 UnknownState "unknown-state" "Unknown state of a monitor"
        "No edge has this state. Correct the name, or add an edge."
        434 EmptySequence "empty-sequence" "Empty sequence"
        "A sequence has at least one position. Write something like `{ a ; b }`."
        435 SequenceInFormula "sequence-in-formula" "Sequence within a formula"
        "A sequence or regular expression is a whole property of kind `possibly` or `definitely`. Write it as \
         one, or say the same in LTL."
        436 NotAnOrder "not-an-order" "Not an order of positions"
        "This stands where a sequence `{ a ; b }` or a regular expression `re( a . b )` was expected. Write one \
         of the two."
        437 WithoutFormula "without-formula" "Property without a formula"
        "The property has a name and a kind and nothing to check. Write a formula behind the colon."
    }
    "Names and types in formulas" {
        501 UnknownVariable "unknown-variable" "Unknown variable"
        "No event writes a variable of this name and `init` does not name it. The help offers the nearest name; \
         `causet info` lists all variables."
        502 AmbiguousVariable "ambiguous-variable" "Ambiguous variable"
        "Several processes have a variable of this name. Write which one is meant: `process.variable`."
        503 ProcessAsValue "process-as-value" "Process where a value is expected"
        "The name is that of a process, not of a variable. Name a variable of it: `p.x`."
        504 UnknownProcessName "unknown-process-name" "Unknown process in a formula"
        "The trace has no process of this name. The help offers the nearest one."
        505 NoProcessMatches "no-process-matches" "No process in the range"
        "The pattern of a range matches no process, or the trace has none. Correct the pattern; `causet info` \
         lists the processes."
        506 NoProcessHasVariable "no-process-has-variable" "No process with the variable"
        "A bound name ranges over the processes that have all the variables named through it, and none has. \
         Correct the name of the variable."
        507 NotAProcess "not-a-process" "Not a process"
        "A process is expected here, by its name or by a bound name. Write one."
        508 BadCondition "bad-condition" "Condition that is no comparison of processes"
        "The condition behind `where` compares bound names and processes, such as `i != j`. Conditions on values \
         belong into the property, behind the colon."
        509 ProcessComparedWithValue "process-compared-with-value" "Process compared with a value"
        "A bound name stands for a process, not for its name or number. Compare it with another bound name or \
         process."
        510 NotNumeric "not-numeric" "Arithmetic on something else than numbers"
        "The operator is about numbers, and an operand is a text or a truth value. Compare such values with `=` \
         and `!=`."
        511 EmptyFold "empty-fold" "Minimum or maximum of nothing"
        "`min` and `max` need at least one value, and the range has no process. Widen the range."
        512 NeitherProcessNorVariable "neither-process-nor-variable" "Neither a process nor a variable"
        "`on(...)` is about a label in quotes, a process or a predicate, and this name is none of them. The help \
         offers the nearest name."
        513 ProcessAndVariable "process-and-variable" "Process and variable of one name"
        "The name is that of a process and of a variable. The help shows how each of them is written."
        514 MisplacedEvent "misplaced-event" "Event where a cut is meant"
        "`on(...)` is about the event just executed, so it stands in LTL, monitors and sequences, outside of \
         expressions, folds and another `on`. Combine it with `!`, `&&`, `||` and `->`."
        515 EventWritesNothing "event-writes-nothing" "Event predicate without a variable"
        "`on(P)` asks whether the event wrote a variable of P, and P has none. Write a predicate with a \
         variable, a label in quotes or a process."
        516 TemporalInPredicate "temporal-in-predicate" "Temporal operator within a predicate"
        "The place takes a predicate about one cut. Move the operator outside of it."
        517 WrongDefinition "wrong-definition" "Definition for another kind of property"
        "A definition with operators of one logic is used in a property of another. Write a definition for each \
         kind."
        518 NotACondition "not-a-condition" "Neither true nor false"
        "A condition is expected, and this is a value. Compare it with something."
        519 ParameterAsDefinition "parameter-as-definition" "Parameter where a definition is expected"
        "A parameter stands for a value or a process and takes no arguments. Name a definition."
        520 WrongValueType "wrong-value-type" "Value of a wrong type in a formula"
        "Arithmetic and `<` are about numbers, conditions about truth values, and an event wrote another type. \
         The message names that event; compare with `=` or `!=`, or keep such values out of the variable."
        521 RacingWrites "racing-writes" "Variable with racing writes"
        "Two writes of a shared variable are not ordered, so its value is not defined in between. Record what \
         orders them, or say `\"order\":\"observed\"` in the header if the lines are one real execution."
    }
    "Mu-calculus" {
        601 Alternation "alternation" "Alternation of fixpoints"
        "Only alternation-free formulas are decided: a least and a greatest fixpoint must not depend on each \
         other. The label shows the cycle, the help a way to avoid it."
        602 UnboundVariable "unbound-variable" "Unbound variable"
        "No enclosing `mu` or `nu` binds this name, and no macro has it. Labels stand within `<...>` and \
         `[...]`."
        603 NotMonotone "not-monotone" "Variable under a negation"
        "A variable must stand under an even number of negations within its fixpoint; else the fixpoint does not \
         exist. The help names the innermost negation."
        604 ModalityWithoutFormula "modality-without-formula" "Modality without a formula"
        "`<A>` and `[A]` say something about the states after a step. Write a formula behind them, such as \
         `true`."
        605 VariableWithParameters "variable-with-parameters" "Variable with parameters"
        "Fixpoints with data parameters are not decided. Write one fixpoint for each value."
        606 DeclarationWithoutFormula "declaration-without-formula" "Declaration without a formula"
        "A declaration is followed by the formula that uses it. Add the formula."
        607 DataDefinition "data-definition" "Definition of data"
        "Data types and functions are not evaluated. Write the values as they stand in the labels."
        608 NotOneStep "not-one-step" "Path where one step is expected"
        "Negation, conjunction and disjunction of actions are about single steps, and this is a path. Combine \
         paths with `.`, `|`, `*` and `+`."
        609 BadRegularExpression "bad-regular-expression" "Malformed regular expression"
        "A label in single quotes is a regular expression, and this one is malformed. The message gives the \
         reason; a literal label stands in double quotes."
        610 ValueAsAction "value-as-action" "Value where an action is expected"
        "A number or truth value stands where a step is expected. Write a label."
        611 TakesNoValues "takes-no-values" "Word that takes no values"
        "The word stands for a set of labels and takes no values. Write the gate of the label before the values."
        612 LabelValue "label-value" "Malformed value in a label"
        "The values of a label are literals, `_` or bound names. Write the value as it stands in the label."
        613 QuantifiedLabel "quantified-label" "Quantifier that labels cannot express"
        "Labels are compared with patterns, in which a bound name stands at most once and means any value. Write \
         one action for each value."
        614 LongLabel "long-label" "Label too long"
        "The pattern of this label is too long. Shorten it, or use `_` for values that do not matter."
        615 LibraryWithoutName "library-without-name" "Library without a name"
        "`library` is followed by the names of files. Write `library ctl.mcl, actl.mcl end_library`."
        616 TooManyLibraries "too-many-libraries" "Too many libraries"
        "Libraries that load others have a maximal number. Join some of them."
        617 NotALibrary "not-a-library" "Not a library"
        "A library holds macros and nothing else. Move the formula out of it."
        618 MalformedMacro "malformed-macro" "Malformed macro"
        "A macro is written `macro NAME (A, B) = ... end_macro`. The label says what was expected."
        619 UnknownLibrary "unknown-library" "Unknown library"
        "There is no file of this name beside the formula, and no bundled library. The label lists the bundled \
         ones."
        620 EmptyArgument "empty-argument" "Empty argument of a macro"
        "An argument of a macro has no text. Write one between the commas."
    }
    "Models and networks" {
        701 BadModelHeader "bad-model-header" "Malformed header of a model"
        "The first line of an Aldebaran file is `des (0, 5, 4)`: first state, transitions, states. Write it like \
         that."
        702 BadTransition "bad-transition" "Malformed transition"
        "A transition is one line such as `(0,\"label\",1)`: source, label, target. The label says what is \
         missing."
        703 BadStateNumber "bad-state-number" "Malformed or too large number"
        "States are numbered from 0 with 32 bits. The label says which number is expected."
        704 BadLabel "bad-label" "Malformed label"
        "A label is not empty, is UTF-8 and ends on its line; there is no way to write a quote inside a quoted \
         label. An internal step is labelled `i` or `tau`."
        705 Distribution "distribution" "Probability distribution"
        "Probabilistic transition systems are not supported. Write one target for each transition."
        706 EmptyModel "empty-model" "Empty model"
        "The file has no line. A system without transitions is written `des (0,0,1)`."
        707 LongModelLine "long-model-line" "Line too long"
        "A line has a maximal length of 16 MiB. Check that this is a text file with one transition a line."
        708 StateGap "state-gap" "State far beyond the others"
        "A state has a number that the transitions of the file cannot lead to, and a place for it would take \
         much memory. Number the states from 0 without large gaps."
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
        "The sign means nothing in a network. Interleaving is `|||`, synchronisation on all labels `||`, on some \
         `|[...]|`."
        723 ComponentTwice "component-twice" "Component defined twice"
        "Two components have one name. Give one of them another."
        724 UnknownComponent "unknown-component" "Unknown component"
        "The network defines no component of this name. Write a file name in double quotes, or correct the name."
        725 ComponentUnreadable "component-unreadable" "Component that cannot be read"
        "The file of a component is missing or malformed. It is looked for beside the network; the label gives \
         the reason."
        726 BadVector "bad-vector" "Malformed synchronisation vector"
        "A vector has one entry for each operand, at least one of which is a label or a gate; an operand that \
         takes no part has `_`. Correct the vector."
        727 InternalInNetwork "internal-in-network" "Internal action in an operator"
        "Internal steps are never synchronised, renamed, cut or hidden. Name another label."
        728 EmptyLabel "empty-label" "Renaming to an empty label"
        "A label has at least one character. `hide` makes it internal, `cut` impossible."
        729 TooManyRules "too-many-rules" "Too many synchronisations"
        "The composition has too many ways to synchronise. Compose fewer interleaved operands at once, or give \
         their labels different names."
        730 BadNetworkPattern "bad-network-pattern" "Malformed pattern in a network"
        "A regular expression is malformed, or a replacement names a group that it lacks. `$1` is the first \
         group, `${name}` one with a name."
        740 NotAModel "not-a-model" "Not a model"
        "The file is neither an Aldebaran file nor a network. A model starts with `des (`, a network is a text \
         that names such files; `causet check` is for runs."
        741 NestedNetworks "nested-networks" "Network within a network"
        "A component is a system. Make a system of the inner network first, with `causet lts convert`."
        742 UnclearInterface "unclear-interface" "Unclear inputs and outputs"
        "Every visible label of a specification is an input or an output, and these patterns leave some label \
         without a side or give it both. Correct the patterns."
        743 BadPurpose "bad-purpose" "Not a test purpose"
        "A test purpose is a system with the labels `ACCEPT` and `REFUSE` in states that end it. The message \
         says what is missing."
    }
    "Equations and automata" {
        801 MalformedEquations "malformed-equations" "Malformed equation system"
        "The text of a system of equations cannot be read, or an equation is missing or there twice. The message \
         says what was expected."
        802 MalformedAutomaton "malformed-automaton" "Malformed automaton"
        "The text is not an automaton in the Hanoi format, or has parts that are not understood, such as \
         alternation. The message says what was expected."
        803 NoAutomaton "no-automaton" "Property without an automaton"
        "Only properties of runs have an automaton: LTL, monitors, sequences and regular expressions. Give one \
         of these."
        804 LargeAutomaton "large-automaton" "Automaton too large"
        "The automaton of the property grows too large. A property in parts has smaller ones."
    }
    "Usage, files and limits" {
        901 Usage "usage" "Wrong usage"
        "The command line is not understood. `causet help COMMAND` lists the arguments of a command."
        902 ArgumentsDoNotFit "arguments-do-not-fit" "Arguments that do not fit together"
        "One argument makes no sense without or together with another. The help names the ones that do."
        903 NothingToCheck "nothing-to-check" "Nothing to check"
        "No property was given. Give one with `--ctl`, `--ltl`, `--possibly`, `--definitely`, `--mu` or \
         `--props`."
        904 NotReadable "not-readable" "File that cannot be read"
        "A file or directory could not be opened, read or decompressed. The message gives the reason of the \
         system."
        905 NotWritable "not-writable" "File that cannot be written"
        "A file, directory or standard output could not be written. The message gives the reason of the system."
        906 NoSuchFormat "no-such-format" "Unknown name of a format"
        "There is no format of this name. The help lists the names."
        907 NoSuchName "no-such-name" "Unknown name in an argument"
        "An argument names a process, event, property, command or workload that does not exist. The help lists \
         what there is."
        908 EngineRefuses "engine-refuses" "Engine that does not take the property"
        "The engine that `--engine` names does not decide properties of this kind. `--engine auto` chooses one \
         that does."
        909 StreamRefuses "stream-refuses" "Not decided in one pass"
        "The property or the format cannot be checked with `--stream`. Check it without, or convert the run \
         first."
        910 NotTranslatable "not-translatable" "Not expressible in the other format"
        "The run or the property has something that the format cannot express. `causet check` decides the \
         property itself."
        911 LimitReached "limit-reached" "Limit reached"
        "Time or memory was used up, or the work was interrupted, and what was asked is unknown. Raise \
         `--timeout` or `--memory`."
        912 WarningsDenied "warnings-denied" "Warnings are denied"
        "`--deny-warnings` was given and there are warnings. Correct what they say, or leave the flag out."
        913 NotACut "not-a-cut" "Not a cut"
        "A cut takes the first events of each process and with every event all that happened before it. The help \
         says how many events it needs."
        914 BadPicture "bad-picture" "Picture that cannot be drawn"
        "The kind of picture is unknown, too large, or needs a font or a feature that is missing. Write an SVG, \
         or draw less of the run with `--from` and `--to`."
        915 NoSlice "no-slice" "No slice for the predicate"
        "Only regular predicates have a slice. `causet check` decides properties of any predicate."
        916 ParametersDoNotFit "parameters-do-not-fit" "Parameters that do not fit"
        "A workload or generator cannot be made with these parameters. The help says which ones fit."
        917 NotForModels "not-for-models" "Property that is not about models"
        "A transition system has labels and no variables, so only properties of kind `mu` are checked on it. \
         `causet check` decides the others on a trace."
        918 DamagedJournal "damaged-journal" "Damaged journal"
        "The journal of a run does not fit what its server noted of it. `--lenient` reads what is left."
        919 Internal "internal" "Internal error"
        "The program contradicts itself, and no verdict is given. This is a defect: please report it together \
         with the trace and the properties."
        920 ProcessLost "process-lost" "Process lost"
        "One of several processes that work together was lost or cannot be reached, so messages are missing and \
         no verdict is given. Start all processes again."
        921 BadHosts "bad-hosts" "Hosts that do not fit"
        "A file of hosts has one `host:port` per line, and `--process` is the number of the own line, from 0. \
         Correct the file or the number."
        922 NoSecret "no-secret" "No secret"
        "Processes that work together know each other by a secret that only their owner can read. Put one into a \
         file for `--secret-file`."
        923 CannotStart "cannot-start" "Program that cannot be started"
        "A process, thread or program could not be started. The message gives the reason."
    }
    "Warnings" {
        1001 EmptyRange "empty-range" "Condition that leaves no processes"
        "A condition behind `where` is true of no choice of processes, so the property says nothing. Correct the \
         condition."
        1002 ConstantComparison "constant-comparison" "Comparison that is always the same"
        "The two sides are of different types or both constant, so the comparison is always true or always \
         false. Correct one of the sides."
        1003 DivisionByZero "division-by-zero" "Division by zero"
        "A division by zero makes its comparison false at that cut. Guard it, as in `y != 0 && x / y > 1`."
        1004 UnreachableState "unreachable-state" "Unreachable state of a monitor"
        "No path of edges leads to this state, so it is never entered. Add an edge or remove the state."
        1005 UnknownLabel "unknown-label" "Label that never occurs"
        "No event or step has this label, although the property needs it or the name is close to another. \
         Correct the label; `causet info` lists them."
        1006 Vacuous "vacuous" "Vacuous property"
        "What stands left of `->` is never true in the run, so what follows is never checked. Correct the \
         condition, or check a run in which it occurs."
        1007 NeverEqual "never-equal" "Values that are never equal"
        "The variable always has another type than the value it is compared with. Correct the value."
        1008 LiteralPattern "literal-pattern" "Label that looks like a pattern"
        "A label in double quotes is compared letter by letter. A regular expression stands in single quotes."
        1009 UnusedComponent "unused-component" "Component that is never used"
        "The network defines a component and does not use it. Remove it, or compose it."
        1010 UnknownAction "unknown-action" "Action that never occurs"
        "An operator of the network names a label that its operand never does. Correct the name."
        1011 CountsDiffer "counts-differ" "Counts that differ from the header"
        "A model has another number of transitions or states than its header says. What is there was read; check \
         that the file was copied whole."
        1012 NothingHappened "nothing-happened" "Run without events"
        "The header lists processes and no line is an event, so there is one moment to look at. Was the run \
         recorded to its end?"
        1013 BackwardTimes "backward-times" "Times that run backwards"
        "The times of a process mostly decrease along its lines, and the order of the lines is the order of the \
         process. Is the log sorted with the newest line first?"
        1014 TauMissing "tau-missing" "No internal steps"
        "No step has the label that `--tau` names, so none is internal. Correct the label."
        1015 InputsRefused "inputs-refused" "Implementation that refuses inputs"
        "Conformance assumes that an implementation takes every input. What it does after inputs that it does \
         not take is not compared."
        1016 LabelsChanged "labels-changed" "Labels that were changed"
        "The format has no escapes, so some labels were written in another form. Choose another format to keep \
         them."
        1017 ReportLeftOut "report-left-out" "Report that was not written"
        "A report was not written because a limit was reached or there is nothing to show. The help names the \
         limit."
        1018 UnfinishedJournal "unfinished-journal" "Journal with an unfinished end"
        "The last bytes of a journal are no whole record and are left out. A server that still writes may \
         complete it."
        1019 TestIncomplete "test-incomplete" "Test that was not completed"
        "Some steps were not recorded, or a limit or a failure ended the test early. Run it again with more \
         time."
        1020 TimeContradictsOrder "time-contradicts-order" "Times that contradict the order"
        "An event comes after another one and is earlier by the clock. Times never order events; check the \
         clocks, or how messages are matched."
        1021 IsolatedProcess "isolated-process" "Isolated process"
        "Nothing orders this process with any other, so every order of them is checked. Log the messages between \
         them, or their vector clocks."
        1022 Race "race" "Race"
        "Two writes of a shared variable are not ordered, so its value is not defined in between. Order them by \
         messages or clocks, or say `\"order\":\"observed\"` in the header if the lines are one execution."
        1023 NoCutDrawn "no-cut-drawn" "Verdict without a cut"
        "No single order shows the verdict, so no cut is drawn. Draw one with `--cut`."
        1024 OpenToOthers "open-to-others" "Directory that others can read"
        "Other users of the machine can look into the directory of the runs. `chmod 700` closes it."
        1025 PurposeLabel "purpose-label" "Label of a purpose that never occurs"
        "No label of the specification matches a pattern of the purpose. Correct the pattern."
        1026 LogNote "note" "How a log was understood"
        "The log was understood in a way worth knowing. Nothing needs to be done."
    }
    "Notes" {
        1102 ConstantVariable "constant-variable" "Variable that never changes"
        "A variable is written several times, always with the same value, so no property can depend on when. Log \
         what changes, or leave it out."
        1103 MessageNeverReceived "message-never-received" "Message that is never received"
        "The message is still in transit when the run ends, or its receive is missing from the log. Log the \
         receive: without it nothing orders the sender before the receiver."
        1104 UnorderedProcesses "unordered-processes" "Processes that nothing orders"
        "No message, clock or edge orders any two processes, so all orders of their events are checked. Log the \
         messages between them (`send`, `recv`) or their vector clocks."
        1105 ForbiddenLabel "forbidden-label" "Forbidden label that does not occur"
        "The property forbids a label, and no event has it: that is what the property wants. Check the spelling \
         if it should be possible."
        1106 FilesLeftOut "files-left-out" "Files that are not read"
        "A directory holds files that are no logs of the run. Name a file itself to read it."
        1107 ServerHint "server-hint" "How to end the server"
        "A server was started and runs until it is interrupted. Ctrl-C ends it."
    }
    "Servers" {
        1201 ServerNotStarted "server-not-started" "Server that cannot be started"
        "An address cannot be listened on, or a part of the server cannot be started. The message gives the \
         reason; choose another address or port."
        1202 RunsNotKept "runs-not-kept" "Runs that cannot be kept"
        "The directory of the runs cannot be used or written, and nothing more is acknowledged. Make room, or \
         choose another with `--data`."
        1203 FollowedFile "followed-file" "Line of a followed file"
        "A line of a file that is followed was refused, or the file cannot be read. The message says why."
        1204 DamagedRun "damaged-run" "Damaged run"
        "What was kept of a run is damaged and was set aside. Its clients are told what the server still has."
        1205 ReactionFailed "reaction-failed" "Reaction that failed"
        "A webhook or command for news cannot be set up or failed. The message gives the reason."
        1206 OpenAddress "open-address" "Address open to other machines"
        "A server that other machines can reach needs a token and a certificate. Give `--token`, `--tls-cert` \
         and `--tls-key`, or listen on 127.0.0.1."
        1207 BadCertificate "bad-certificate" "Certificate that cannot be used"
        "A certificate or key cannot be read or does not fit. The message gives the reason."
        1208 RefusedSpans "refused-spans" "Spans that were refused"
        "Spans of a run could not be read or told to the server. The message gives the reason."
        1209 NotSent "not-sent" "Run that was not sent"
        "The server refused the run or could not be reached. The message gives its answer."
        1210 RefusedEvent "refused-event" "Event or request that was refused"
        "The server refused a header, an event or a request of a client. The message gives the reason."
    }
    "Tests of programs" {
        1301 AdapterFailed "adapter-failed" "Adapter that failed"
        "The adapter between the tester and the program cannot be started, answered something else than the \
         protocol allows, or ended. The message gives its last words."
        1302 NotATestCase "not-a-test-case" "Not a test case"
        "The file is not a test case that can be run. `causet lts tests --cases DIR` writes test cases."
        1303 OtherSpecification "other-specification" "Test case of another specification"
        "A test case sends something that is no input of `--spec`. Give the specification that the test cases \
         were made from."
    }
}
