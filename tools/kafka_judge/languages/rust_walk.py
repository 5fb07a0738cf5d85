"""The part of the Rust program that lists all fields of the generated types, as Rust has no reflection."""

import re
from pathlib import Path

_FIELD = re.compile(r"impl (\w+) \{\n    pub fn (\w+)\(&self\) -> Ref<'_, (.+)> \{")
_IMPL = re.compile(r"^impl (\w+) \{$", re.MULTILINE)
_INSTANCE = re.compile(r"    pub fn (\w+)\(\n        &self\n    \) -> KResult<Ref<")
_PARAMETERS = re.compile(r"impl (\w+) \{\n    pub fn set_params\(&mut self, (.+)\) \{")
_NUMBERED = re.compile(r"impl From<&(\w+)> for i64")
_CHOICE = re.compile(r"#\[derive\(Debug, Clone\)\]\npub enum (\w+) \{\n((?:    \w+\(.+\),\n)+)\}")
_STRUCT = re.compile(r"^pub struct (\w+) \{$", re.MULTILINE)


def walk(directory: Path, roots: dict[str, str]) -> str:
    """Write the module that makes trees of all types, from the source code of these types.

    Args:
        directory: directory of the modules that the compiler wrote.
        roots: the types that a question can name, by their module.
    """
    parts = ["use kaitai::{BytesReader, KError, KResult, KStruct};\n\nuse crate::{field, Tree};"]
    parameters: dict[str, str] = {}
    for path in sorted(directory.glob("*.rs")):
        text = path.read_text("utf-8")
        parts.append(f"use crate::specs::{path.stem}::*;")
        parameters |= dict(_PARAMETERS.findall(text))
        parts += [_struct(name, *_members(text, name)) for name in _STRUCT.findall(text)]
        parts += [_numbered(name) for name in _NUMBERED.findall(text)]
        parts += [_choice(name, re.findall(r"(\w+)\(", body)) for name, body in _CHOICE.findall(text)]
    parts += [_parse([(name, parameters.get(name, "")) for name in roots.values()])]
    return "\n".join(parts) + "\n"


def _members(text: str, name: str) -> tuple[list[str], list[str]]:
    """The fields and the instances of a type."""
    fields = [field for owner, field, kind in _FIELD.findall(text) if owner == name and kind != "BytesReader"]
    fields = [field for field in fields if field.removesuffix("_raw") not in fields or not field.endswith("_raw")]
    owners = [*_IMPL.finditer(text)]
    spans = [
        text[begin.end() : end.start() if end else len(text)]
        for begin, end in zip(owners, [*owners[1:], None], strict=True)
        if begin[1] == name
    ]
    return fields, [instance for span in spans for instance in _INSTANCE.findall(span)]


def _struct(name: str, fields: list[str], instances: list[str]) -> str:
    lines = [f"impl Tree for {name} {{", "    fn write(&self, out: &mut String) {", "        out.push('{');"]
    lines += [f'        field("{each.replace("_", "")}", Ok(&*self.{each}()), out);' for each in fields]
    lines += [
        f'        match self.{each}() {{ Ok(found) => field("{each.replace("_", "")}", Ok(&*found), out), '
        f'Err(error) => field::<i64>("{each.replace("_", "")}", Err(error), out) }}'
        for each in instances
        if not each.endswith("_raw")
    ]
    return "\n".join([*lines, "        out.push('}');", "    }", "}"])


def _numbered(name: str) -> str:
    return f"impl Tree for {name} {{ fn write(&self, out: &mut String) {{ i64::from(self).write(out) }} }}"


def _choice(name: str, variants: list[str]) -> str:
    arms = " ".join(f"{name}::{variant}(found) => found.write(out)," for variant in variants)
    return f"impl Tree for {name} {{ fn write(&self, out: &mut String) {{ match self {{ {arms} }} }} }}"


def _parse(roots: list[tuple[str, str]]) -> str:
    lines = [
        "pub fn parse(name: &str, data: Vec<u8>, arguments: &[i64]) -> KResult<String> {",
        "    let io = BytesReader::from(data);",
        "    let mut out = String::new();",
        "    match name {",
    ]
    for name, parameters in roots:
        given = [_argument(kind.strip(), number) for number, kind in enumerate(re.findall(r": ([^,]+)", parameters))]
        init = f"&|it: &mut {name}| {{ it.set_params({', '.join(given)}); Ok(()) }}"
        read = f"read_into_with_init::<_, {name}>(&io, None, None, {init})" if given else "read_into(&io, None, None)"
        lines += [f'        "{name}" => {{ let root: kaitai::OptRc<{name}> = {name}::{read}?; root.write(&mut out) }}']
    lines += ['        _ => panic!("no type {name}"),', "    }", "    Ok(out)", "}"]
    return "\n".join(lines)


def _argument(kind: str, number: int) -> str:
    if kind == "bool":
        return f"arguments[{number}] != 0"
    if kind.startswith("&"):
        return f"&{kind[1:]}::try_from(arguments[{number}])?"
    return f"arguments[{number}] as {kind}"
