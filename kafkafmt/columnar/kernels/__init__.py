"""Kernels: functions over arrays that numba compiles. Python calls them by their names here, without loading numba.

Only the compiler imports the modules of this package.
"""

from typing import TYPE_CHECKING, Final

from kafkafmt.columnar.object_code import Kernel

if TYPE_CHECKING:
    from kafkafmt.columnar.kernels.avro_values import read_avro as read_avro
    from kafkafmt.columnar.kernels.crc import first_wrong_crc as first_wrong_crc
    from kafkafmt.columnar.kernels.encoding import close_batches as close_batches
    from kafkafmt.columnar.kernels.encoding import cut_rows as cut_rows
    from kafkafmt.columnar.kernels.encoding import encode_rows as encode_rows
    from kafkafmt.columnar.kernels.encoding import partition_keys as partition_keys
    from kafkafmt.columnar.kernels.hashing import find_keys as find_keys
    from kafkafmt.columnar.kernels.hashing import hash_all as hash_all
    from kafkafmt.columnar.kernels.hashing import put_keys as put_keys
    from kafkafmt.columnar.kernels.header_walk import find_batches as find_batches
    from kafkafmt.columnar.kernels.json_text import copy_texts as copy_texts
    from kafkafmt.columnar.kernels.json_values import read_json as read_json
    from kafkafmt.columnar.kernels.messages import find_frames as find_frames
    from kafkafmt.columnar.kernels.messages import find_wrappers as find_wrappers
    from kafkafmt.columnar.kernels.messages import walk_inner_sets as walk_inner_sets
    from kafkafmt.columnar.kernels.messages import walk_plain_messages as walk_plain_messages
    from kafkafmt.columnar.kernels.needles import holding as holding
    from kafkafmt.columnar.kernels.protobuf_values import find_no_text as find_no_text
    from kafkafmt.columnar.kernels.protobuf_values import gather as gather
    from kafkafmt.columnar.kernels.protobuf_values import read_protobuf as read_protobuf
    from kafkafmt.columnar.kernels.records import record_at as record_at
    from kafkafmt.columnar.kernels.records import walk_records as walk_records
    from kafkafmt.columnar.kernels.records import walk_whole_records as walk_whole_records
    from kafkafmt.columnar.kernels.rewriting import find_records as find_records
    from kafkafmt.columnar.kernels.rewriting import write_records as write_records
    from kafkafmt.columnar.kernels.tallying import keep_some as keep_some
    from kafkafmt.columnar.kernels.tallying import tally as tally
    from kafkafmt.columnar.kernels.tallying import tally_named as tally_named
    from kafkafmt.columnar.kernels.unpacking import unpack as unpack
    from kafkafmt.columnar.kernels.weighing import weigh as weigh

_MODULES: Final = {
    "avro_values": ["read_avro"],
    "crc": ["first_wrong_crc"],
    "encoding": ["close_batches", "cut_rows", "encode_rows", "partition_keys"],
    "hashing": ["find_keys", "hash_all", "put_keys"],
    "header_walk": ["find_batches"],
    "json_text": ["copy_texts"],
    "json_values": ["read_json"],
    "messages": ["find_frames", "find_wrappers", "walk_inner_sets", "walk_plain_messages"],
    "needles": ["holding"],
    "protobuf_values": ["find_no_text", "gather", "read_protobuf"],
    "records": ["record_at", "walk_records", "walk_whole_records"],
    "rewriting": ["find_records", "write_records"],
    "tallying": ["keep_some", "tally", "tally_named"],
    "unpacking": ["unpack"],
    "weighing": ["weigh"],
}

if not TYPE_CHECKING:
    globals().update(
        (name, Kernel(f"{__name__}.{module}", name)) for module, names in _MODULES.items() for name in names
    )
