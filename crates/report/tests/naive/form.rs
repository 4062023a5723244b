//! The formulas of the tests, read from their text.

/// A formula.
#[derive(Debug)]
pub(crate) enum Form {
    Const(bool),
    Done(String),
    On(String),
    Empty(String, String),
    Count(Vec<Form>, String, String),
    Compare(String, String, String),
    Not(Box<Form>),
    And(Box<Form>, Box<Form>),
    Or(Box<Form>, Box<Form>),
    Implies(Box<Form>, Box<Form>),
    /// `AG`, `F` and so on.
    Temporal(String, Box<Form>),
    /// `U` or `W`.
    Until(String, Box<Form>, Box<Form>),
}

impl Form {
    /// Reads a formula.
    pub(crate) fn parse(text: &str) -> Form {
        let text = text
            .replace('(', " ( ")
            .replace(')', " ) ")
            .replace(',', " , ")
            .replace('!', " ! ")
            .replace(" !  =", " !=")
            .replace(" ! =", " !=");
        let mut words: Vec<&str> = text.split_whitespace().rev().collect();
        let form = implication(&mut words);
        assert!(words.is_empty(), "{words:?} is left of {text}");
        form
    }
}

fn implication(words: &mut Vec<&str>) -> Form {
    let left = either(words);
    match words.last() {
        Some(&"->") => {
            words.pop();
            Form::Implies(Box::new(left), Box::new(implication(words)))
        }
        _ => left,
    }
}

fn either(words: &mut Vec<&str>) -> Form {
    let mut form = both(words);
    while words.last() == Some(&"||") {
        words.pop();
        form = Form::Or(Box::new(form), Box::new(both(words)));
    }
    form
}

fn both(words: &mut Vec<&str>) -> Form {
    let mut form = until(words);
    while words.last() == Some(&"&&") {
        words.pop();
        form = Form::And(Box::new(form), Box::new(until(words)));
    }
    form
}

fn until(words: &mut Vec<&str>) -> Form {
    let left = single(words);
    match words.last() {
        Some(&op @ ("U" | "W")) => {
            words.pop();
            Form::Until(op.to_owned(), Box::new(left), Box::new(until(words)))
        }
        _ => left,
    }
}

fn single(words: &mut Vec<&str>) -> Form {
    match words.pop().unwrap() {
        "!" => Form::Not(Box::new(single(words))),
        "(" => {
            let form = implication(words);
            assert_eq!(words.pop(), Some(")"));
            form
        }
        "true" => Form::Const(true),
        "false" => Form::Const(false),
        "done" => Form::Done(argument(words)),
        "on" => Form::On(argument(words).trim_matches('"').to_owned()),
        "empty" => {
            let parts: [Option<&str>; 5] = std::array::from_fn(|_| words.pop());
            assert_eq!((parts[0], parts[2]), (Some("("), Some("->")));
            Form::Empty(parts[1].unwrap().to_owned(), parts[3].unwrap().to_owned())
        }
        "count" => {
            assert_eq!(words.pop(), Some("("));
            let mut parts = Vec::new();
            loop {
                parts.push(implication(words));
                match words.pop() {
                    Some(",") => {}
                    end => break assert_eq!(end, Some(")")),
                }
            }
            let (op, bound) = (words.pop().unwrap(), words.pop().unwrap());
            Form::Count(parts, op.to_owned(), bound.to_owned())
        }
        op @ ("AG" | "EF" | "AF" | "EG" | "G" | "F" | "N" | "X") => {
            Form::Temporal(op.to_owned(), Box::new(single(words)))
        }
        left => {
            let (op, right) = (words.pop().unwrap(), words.pop().unwrap());
            Form::Compare(left.to_owned(), op.to_owned(), right.to_owned())
        }
    }
}

fn argument(words: &mut Vec<&str>) -> String {
    let [open, argument, close] = [words.pop(), words.pop(), words.pop()];
    assert_eq!((open, close), (Some("("), Some(")")));
    argument.unwrap().to_owned()
}
