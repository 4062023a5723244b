//! Expressions and templates of the case files.
//!
//! A template is text with `${EXPRESSION}` or `${EXPRESSION:FORMAT}`. An expression has numbers, quoted text, names,
//! function calls, arithmetic (`//` divides whole numbers), comparisons, `&&` and `||`. A name may contain dots and
//! hyphens, so a minus has spaces around it. A format is `.3` (decimals), `,` (thousands apart), `06` or `016x`.

use super::report::grouped;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(f64),
    Text(String),
}

impl Value {
    /// The number, or the number that the text spells; anything else is not a number.
    pub(super) fn number(&self) -> f64 {
        match self {
            Value::Number(number) => *number,
            Value::Text(text) => text.parse().unwrap_or(f64::NAN),
        }
    }

    fn is_true(&self) -> bool {
        self.number() == 1.0
    }

    fn of(truth: bool) -> Value {
        Value::Number(f64::from(u8::from(truth)))
    }

    /// What a cell shows.
    fn format(&self, format: &str) -> String {
        let number = match self {
            Value::Text(text) if format.is_empty() || self.number().is_nan() => {
                return text.clone();
            }
            value => value.number(),
        };
        if number.is_nan() {
            return "-".to_owned();
        }
        let width = |digits: &str| digits.parse().unwrap_or(0);
        match format.split_at_checked(1) {
            None => number.to_string(),
            Some((",", "")) => grouped(number as usize),
            Some((".", places)) => format!("{number:.*}", width(places)),
            Some(_) => match format.strip_suffix(['x', 'X']) {
                None => format!("{:0width$}", number as u64, width = width(format)),
                Some(digits) if format.ends_with('x') => {
                    format!("{:0width$x}", number as u64, width = width(digits))
                }
                Some(digits) => format!("{:0width$X}", number as u64, width = width(digits)),
            },
        }
    }
}

/// What the names and functions of an expression mean.
pub(super) trait Scope {
    fn get(&self, name: &str) -> Result<Value, String>;

    fn call(&self, name: &str, arguments: &[Value]) -> Result<Value, String> {
        let number = match (name, arguments) {
            ("max", [one, other]) => one.number().max(other.number()),
            ("ceil", [value]) => value.number().ceil(),
            ("log10", [value]) => value.number().log10(),
            ("if", [condition, one, other]) => {
                return Ok(if condition.is_true() { one } else { other }.clone());
            }
            ("code", [value]) => {
                let text = value.format("").replace('|', "\\|");
                return Ok(Value::Text(format!("`{text}`")));
            }
            _ => {
                return Err(format!(
                    "there is no function `{name}` of {} arguments",
                    arguments.len()
                ));
            }
        };
        Ok(Value::Number(number))
    }
}

/// A parsed template.
pub(super) struct Template(Vec<Part>);

enum Part {
    Text(String),
    Value(Expr, String),
}

impl Template {
    pub(super) fn parse(text: &str) -> Result<Template, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let closed = after.split_once('}');
            let (inside, after) =
                closed.ok_or_else(|| format!("`{text}`: a `${{` is not closed"))?;
            let (expression, format) = inside.rsplit_once(':').unwrap_or((inside, ""));
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            parts.push(Part::Value(Expr::parse(expression)?, format.to_owned()));
            rest = after;
        }
        if !rest.is_empty() || parts.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Ok(Template(parts))
    }

    /// The text, and its value: that of the expression if the template is nothing else.
    pub(super) fn cell(&self, scope: &dyn Scope) -> Result<(String, Value), String> {
        if let [Part::Value(expression, format)] = &self.0[..] {
            let value = expression.evaluate(scope)?;
            return Ok((value.format(format), value));
        }
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Text(part) => text += part,
                Part::Value(expression, format) => {
                    text += &expression.evaluate(scope)?.format(format);
                }
            }
        }
        Ok((text.clone(), Value::Text(text)))
    }
}

/// The text and the value of a template.
pub(super) fn cell(template: &str, scope: &dyn Scope) -> Result<(String, Value), String> {
    Template::parse(template)?.cell(scope)
}

/// Replaces every `${...}` of a template.
pub(super) fn expand(template: &str, scope: &dyn Scope) -> Result<String, String> {
    Ok(cell(template, scope)?.0)
}

/// Whether an expression is true; one that is missing is.
pub(super) fn is_true(expression: Option<&str>, scope: &dyn Scope) -> Result<bool, String> {
    expression.map_or(Ok(true), |text| Ok(evaluate(text, scope)?.is_true()))
}

pub(super) fn evaluate(text: &str, scope: &dyn Scope) -> Result<Value, String> {
    Expr::parse(text)?.evaluate(scope)
}

enum Expr {
    Value(Value),
    Name(String),
    Call(String, Vec<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
}

impl Expr {
    fn parse(text: &str) -> Result<Expr, String> {
        let mut parser = Parser { rest: text };
        let expression = parser.binary(0)?;
        match parser.rest.trim() {
            "" => Ok(expression),
            rest => Err(format!("`{text}`: `{rest}` is not expected")),
        }
    }

    fn evaluate(&self, scope: &dyn Scope) -> Result<Value, String> {
        match self {
            Expr::Value(value) => Ok(value.clone()),
            Expr::Name(name) => scope.get(name),
            Expr::Call(name, arguments) => {
                let arguments = arguments.iter().map(|argument| argument.evaluate(scope));
                scope.call(name, &arguments.collect::<Result<Vec<_>, _>>()?)
            }
            Expr::Binary(operator, left, right) => Ok(apply(
                operator,
                &left.evaluate(scope)?,
                &right.evaluate(scope)?,
            )),
        }
    }
}

/// Operators by precedence; a longer one stands before its prefix.
const OPERATORS: [&[&str]; 5] = [
    &["||"],
    &["&&"],
    &["!=", "<=", ">=", "=", "<", ">"],
    &["+", "-"],
    &["*", "//", "/", "%"],
];

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn take(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn binary(&mut self, level: usize) -> Result<Expr, String> {
        let Some(operators) = OPERATORS.get(level) else {
            return self.atom();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.take(operator)) {
            left = Expr::Binary(operator, Box::new(left), Box::new(self.binary(level + 1)?));
        }
        Ok(left)
    }

    fn atom(&mut self) -> Result<Expr, String> {
        if self.take("(") {
            let inside = self.binary(0)?;
            return self.close(inside);
        }
        if self.take("'") {
            let (text, rest) = self.rest.split_once('\'').ok_or("a quote is not closed")?;
            self.rest = rest;
            return Ok(Expr::Value(Value::Text(text.to_owned())));
        }
        let is_number = self.rest.starts_with(|c: char| c.is_ascii_digit());
        let is_part =
            |c: char| c.is_ascii_alphanumeric() || "._".contains(c) || (c == '-' && !is_number);
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        if is_number {
            let number = word.parse().map_err(|error| format!("`{word}`: {error}"))?;
            return Ok(Expr::Value(Value::Number(number)));
        }
        if word.is_empty() {
            return Err(format!("a value is expected at `{rest}`"));
        }
        if !self.take("(") {
            return Ok(Expr::Name(word.to_owned()));
        }
        let mut arguments = Vec::new();
        while !self.rest.trim_start().starts_with(')') {
            arguments.push(self.binary(0)?);
            self.take(",");
        }
        self.close(Expr::Call(word.to_owned(), arguments))
    }

    fn close(&mut self, inside: Expr) -> Result<Expr, String> {
        let is_closed = self.take(")");
        is_closed
            .then_some(inside)
            .ok_or_else(|| format!("`)` is expected at `{}`", self.rest))
    }
}

fn apply(operator: &str, left: &Value, right: &Value) -> Value {
    let (one, other) = (left.number(), right.number());
    let is_equal = one == other || left.format("") == right.format("");
    match operator {
        "||" => Value::of(left.is_true() || right.is_true()),
        "&&" => Value::of(left.is_true() && right.is_true()),
        "=" => Value::of(is_equal),
        "!=" => Value::of(!is_equal),
        "<=" => Value::of(one <= other),
        ">=" => Value::of(one >= other),
        "<" => Value::of(one < other),
        ">" => Value::of(one > other),
        "+" => Value::Number(one + other),
        "-" => Value::Number(one - other),
        "*" => Value::Number(one * other),
        "//" => Value::Number((one / other).floor()),
        "/" => Value::Number(one / other),
        _ => Value::Number(one % other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Names;

    impl Scope for Names {
        fn get(&self, name: &str) -> Result<Value, String> {
            match name {
                "n" => Ok(Value::Number(1_000_003.0)),
                "a.two-phase" => Ok(Value::Text("holds".to_owned())),
                "a.none" => Ok(Value::Number(f64::NAN)),
                _ => Err(format!("there is no `{name}`")),
            }
        }
    }

    #[test]
    fn templates_are_expanded() {
        for (template, expected) in [
            ("n is ${n:,}", "n is 1,000,003"),
            ("${n % 10 + 2 * 3}", "9"),
            ("${n // 10}", "100000"),
            ("${(n - 3) / 4000000:.2}", "0.25"),
            ("{\"id\":\"${10:08x}\"}", "{\"id\":\"0000000a\"}"),
            ("${a.two-phase}", "holds"),
            ("${a.none / 2:.3}", "-"),
            ("${if(n > 2 && a.two-phase = 'holds', 'yes', 'no')}", "yes"),
        ] {
            assert_eq!(expand(template, &Names), Ok(expected.to_owned()));
        }
    }

    #[test]
    fn mistakes_are_refused() {
        for template in ["${n", "${m}", "${n +}", "${n n}", "${f(n)}", "${(n}"] {
            assert!(expand(template, &Names).is_err(), "{template}");
        }
    }
}
