//! Parses files with generated types, and prints all fields and instances that these have.
//!
//! Reads lines of type, path and numbers that are the spec's parameters, parted by tabs; writes a line of JSON
//! {tree, error} for each. Names of fields have no underscores, bytes are hex, enums their numbers. A number that the
//! spec leaves out is 0 here, bytes are empty.
mod specs;
mod walk;

use std::fmt::Write as _;
use std::io::{self, BufRead, Write};

use kaitai::{KError, OptRc, ValidationKind};

/// What can be printed as JSON.
pub trait Tree {
    fn write(&self, out: &mut String);

    fn write_list(items: &[Self], out: &mut String)
    where
        Self: Sized,
    {
        out.push('[');
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            item.write(out);
        }
        out.push(']');
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Tree for $number {
            fn write(&self, out: &mut String) {
                write!(out, "{self:?}").unwrap();
            }
        }
    )*};
}

numbers!(bool, i8, i16, u16, i32, u32, i64, u64, f64);

impl Tree for u8 {
    fn write(&self, out: &mut String) {
        write!(out, "{self}").unwrap();
    }

    fn write_list(items: &[u8], out: &mut String) {
        out.push('"');
        for byte in items {
            write!(out, "{byte:02x}").unwrap();
        }
        out.push('"');
    }
}

impl<T: Tree> Tree for Vec<T> {
    fn write(&self, out: &mut String) {
        T::write_list(self, out);
    }
}

impl<T: Tree> Tree for Option<T> {
    fn write(&self, out: &mut String) {
        match self {
            Some(value) => value.write(out),
            None => out.push_str("null"),
        }
    }
}

impl<T: Tree> Tree for OptRc<T> {
    fn write(&self, out: &mut String) {
        match self.get_value() {
            Some(value) => value.write(out),
            None => out.push_str("null"),
        }
    }
}

/// A field or an instance, whose error is a part of the tree.
pub fn field<T: Tree + ?Sized>(name: &str, value: Result<&T, KError>, out: &mut String) {
    if !out.ends_with('{') {
        out.push(',');
    }
    write!(out, "\"{name}\":").unwrap();
    match value {
        Ok(found) => found.write(out),
        Err(error) => write!(out, "{{\"error\":{:?}}}", kind(&error)).unwrap(),
    }
}

fn kind(error: &KError) -> String {
    match error {
        KError::Eof { .. } => "EOFError".to_string(),
        KError::ValidationFailed(failed) => match failed.kind {
            ValidationKind::NotEqual => "ValidationNotEqualError",
            ValidationKind::LessThan => "ValidationLessThanError",
            ValidationKind::GreaterThan => "ValidationGreaterThanError",
            ValidationKind::NotAnyOf => "ValidationNotAnyOfError",
            ValidationKind::NotInEnum => "ValidationNotInEnumError",
            ValidationKind::Expr => "ValidationExprError",
            _ => "ValidationFailedError",
        }
        .to_string(),
        other => format!("{other:?}"),
    }
}

fn main() {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line.expect("a line");
        let job: Vec<&str> = line.split('\t').collect();
        let data = std::fs::read(job[1]).expect("a file");
        let arguments: Vec<i64> = job[2..].iter().map(|text| text.parse().expect("a number")).collect();
        match walk::parse(job[0], data, &arguments) {
            Ok(tree) => writeln!(out, "{{\"tree\":{tree},\"error\":null}}"),
            Err(error) => writeln!(out, "{{\"error\":{:?}}}", kind(&error)),
        }
        .expect("a pipe");
    }
}
