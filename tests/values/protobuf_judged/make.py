"""Make cases.jsonl.gz: random Protobuf values, half of them damaged, as read by protobuf for Python.

Needs packages that the tests do not need: pip install grpcio-tools==1.85.1 protobuf==7.36.2
googleapis-common-protos==1.76.0; then

    python make.py [--seed N] [--count N]

A line has `schema` (the file), `message`, `data` (base64), and `json` (what json_format gives, with the names of the
schema and implicit fields) with `hasUnknown` (whether any message in it has unknown fields), or `error`.

descriptors.json has protoc's descriptors (base64) of the schemas, and those of google/protobuf and google/type from
protobuf and googleapis-common-protos.
"""

import argparse
import gzip
import json
import random
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import google.protobuf
import google.type
import grpc_tools
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory, unknown_fields
from grpc_tools import protoc

HERE = Path(__file__).parent
MESSAGES = {"two": "judged.two.Two", "three": "judged.three.Three", "edition": "judged.edition.Edition"}
NUMBERS: dict[str, list[Any]] = {
    "INT32": [0, 1, -1, 2**31 - 1, -(2**31), 77],
    "INT64": [0, 1, -1, 2**63 - 1, -(2**63), 10**12],
    "UINT32": [0, 1, 2**32 - 1, 300],
    "UINT64": [0, 1, 2**64 - 1, 10**15],
    "DOUBLE": [0.0, -0.0, 1.5, 1e300, float("inf"), float("nan")],
    "FLOAT": [0.0, 1.5, 0.1, 3.4e38],
    "BOOL": [True, False],
    "STRING": ["", "a", "Grüße 🦀", "x" * 30, "\x7f\u0800\uffff"],
}
KINDS = {"SINT32": "INT32", "SFIXED32": "INT32", "SINT64": "INT64", "SFIXED64": "INT64", "FIXED32": "UINT32"}
KINDS["FIXED64"] = "UINT64"


class Maker:
    """Generates random values.

    Args:
        pool: the descriptor pool with the schemas.
        numbers: the random generator.
    """

    def __init__(self, pool: Any, numbers: random.Random) -> None:
        self._pool, self._random = pool, numbers

    def fill(self, message: Any, depth: int = 0) -> None:
        """Set some fields of a message."""
        name = message.DESCRIPTOR.full_name
        if name == "google.protobuf.Timestamp":
            message.seconds = self._random.randrange(-62135596800, 253402300801)
            message.nanos = self._random.choice([0, 1000, 123456789] * 20 + [10**9])
            return
        if name == "google.protobuf.Duration":
            message.seconds = self._random.randrange(1000)
            message.nanos = self._random.choice([0, 1000, 999] * 20 + [-999])
            return
        extensions = sorted(self._pool.FindAllExtensions(message.DESCRIPTOR), key=lambda each: each.number)
        for field in (*message.DESCRIPTOR.fields, *extensions):
            if self._random.random() > (0.5 if depth < 2 else 0.2):
                self._fill_field(message, field, depth)

    def damaged(self, message: Any) -> bytes:
        """The bytes of a message with a few changes."""
        data = bytearray(message.SerializePartialToString())
        for _ in range(self._random.randrange(1, 4)):
            if not data:
                break
            at = self._random.randrange(len(data))
            match self._random.randrange(5):
                case 0:
                    data[at] ^= 1 << self._random.randrange(8)
                case 1:
                    data[at : at + self._random.randrange(4)] = self._random.randbytes(self._random.randrange(4))
                case 2:
                    del data[at:]
                case 3:
                    start = self._random.randrange(len(data))
                    data[at:at] = data[start : start + self._random.randrange(12)]
                case _:
                    other = type(message)()
                    self.fill(other, 1)
                    data += other.SerializePartialToString()
        return bytes(data)

    def _fill_field(self, message: Any, field: Any, depth: int) -> None:
        kind = field.message_type
        if kind is not None and kind.GetOptions().map_entry:
            entries, value = getattr(message, field.name), kind.fields_by_name["value"]
            for _ in range(self._random.randrange(4)):
                key = self._scalar(kind.fields_by_name["key"])
                if value.message_type is None:
                    entries[key] = self._scalar(value)
                elif depth < 4:
                    self.fill(entries[key], depth + 1)
            return
        holder = message.Extensions[field] if field.is_extension and (field.is_repeated or kind) else None
        if kind is not None:
            if depth < 4:
                target = getattr(message, field.name) if holder is None else holder
                for _ in range(self._random.randrange(4) if field.is_repeated else 1):
                    inner = target.add() if field.is_repeated else target
                    inner.SetInParent()
                    self.fill(inner, depth + 1)
        elif field.is_repeated:
            target = getattr(message, field.name) if holder is None else holder
            target.extend(self._scalar(field) for _ in range(self._random.randrange(5)))
        elif field.is_extension:
            message.Extensions[field] = self._scalar(field)
        else:
            setattr(message, field.name, self._scalar(field))

    def _scalar(self, field: Any) -> Any:
        if field.enum_type is not None:
            numbers = [each.number for each in field.enum_type.values]
            return self._random.choice(numbers if field.enum_type.is_closed else [*numbers, 99])
        kind = descriptor_pb2.FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_")
        if kind == "BYTES":
            return self._random.randbytes(self._random.randrange(6))
        return self._random.choice(NUMBERS[KINDS.get(kind, kind)])


def has_unknown(message: Any) -> bool:
    """Whether a message or a nested one has unknown fields."""
    if len(unknown_fields.UnknownFieldSet(message)):
        return True
    for field, value in message.ListFields():
        kind = field.message_type
        if kind is not None and kind.GetOptions().map_entry:
            if kind.fields_by_name["value"].message_type is not None and any(map(has_unknown, value.values())):
                return True
        elif kind is not None and any(map(has_unknown, value if field.is_repeated else [value])):
            return True
    return False


@cache
def files() -> list[Any]:
    """Descriptors of the schemas, each after its imports."""
    with TemporaryDirectory() as directory:
        target = Path(directory) / "set"
        known = Path(grpc_tools.__file__).parent / "_proto"
        options = [f"-I{HERE}", f"-I{known}", "--include_imports", f"--descriptor_set_out={target}"]
        protoc.main(["protoc", *options, *(f"{name}.proto" for name in MESSAGES)])
        return list(descriptor_pb2.FileDescriptorSet.FromString(target.read_bytes()).file)


def known_modules() -> Iterator[tuple[str, Any]]:
    """The modules of google/protobuf and google/type, by file name."""
    for package in (google.protobuf, google.type):
        for path in sorted(Path(next(iter(package.__path__))).glob("*_pb2.py")):
            name = f"{package.__name__.replace('.', '/')}/{path.name.removesuffix('_pb2.py')}.proto"
            yield name, import_module(f"{package.__name__}.{path.stem}")


def cases(seed: int, count: int) -> Iterator[dict[str, Any]]:
    """Random values, and the result of reading each."""
    pool = descriptor_pool.DescriptorPool()
    for file in files():
        pool.Add(file)
    numbers = random.Random(seed)
    maker = Maker(pool, numbers)
    for _ in range(count):
        schema = numbers.choice([*MESSAGES, "three"])
        kind = message_factory.GetMessageClass(pool.FindMessageTypeByName(MESSAGES[schema]))
        made = kind()
        maker.fill(made)
        data = made.SerializePartialToString() if numbers.random() < 0.5 else maker.damaged(made)
        found: dict[str, Any] = {"schema": schema, "message": MESSAGES[schema], "data": b64encode(data).decode()}
        read = kind()
        try:
            read.ParseFromString(data)
            as_json = json_format.MessageToDict(
                read,
                preserving_proto_field_name=True,
                always_print_fields_with_no_presence=True,
                descriptor_pool=pool,
            )
            found |= {"json": as_json, "hasUnknown": has_unknown(read)}
        except Exception as error:  # noqa: BLE001 - whatever it raises is its answer
            found["error"] = f"{type(error).__name__}: {error}"[:120]
        yield found


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1500)
    given = parser.parse_args()
    text = "".join(json.dumps(each) + "\n" for each in cases(given.seed, given.count))
    (HERE / "cases.jsonl.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    known = {name: module.DESCRIPTOR.serialized_pb for name, module in known_modules()}
    made = known | {file.name: file.SerializeToString() for file in files() if not file.name.startswith("google/")}
    encoded = {name: b64encode(data).decode() for name, data in sorted(made.items())}
    (HERE / "descriptors.json").write_text(json.dumps(encoded, indent=1) + "\n")


if __name__ == "__main__":
    main()
