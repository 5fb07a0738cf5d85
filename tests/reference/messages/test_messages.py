"""The rules around messages: names, versions, keys and frames, limits, tagged fields, and what errors say."""

import json
import struct
import tracemalloc
from typing import Any

import pytest

from kafkafmt.errors import CorruptError, LimitExceededError, TruncatedError, UnsupportedError
from kafkafmt.internal_topics import (
    CLUSTER_METADATA,
    CONSUMER_OFFSETS,
    REMOTE_LOG_METADATA,
    SHARE_GROUP_STATE,
    TRANSACTION_STATE,
)
from kafkafmt.reference.messages import (
    ApiMessage,
    coordinator_records,
    decode_message,
    framed_records,
    message,
    message_names,
    readers,
)
from tests.effort import calls
from tests.reference.messages.vectors import NAMES, of, typical

OFFSET_KEY = b"\0\1" + b"\0\1g" + b"\0\5topic" + struct.pack(">i", 7)
OFFSET_VALUE_3 = struct.pack(">hqi", 3, 42, 5) + b"\0\0" + struct.pack(">q", 1000)
OFFSET_VALUE_4 = struct.pack(">hqi", 4, 42, 5) + b"\1" + struct.pack(">q", 1000)
OFFSET = {"offset": 42, "leaderEpoch": 5, "metadata": "", "commitTimestamp": 1000}
TOPIC_RECORD = b"\1\2\0" + b"\2t" + bytes(16) + b"\0"


MEMBER = b"\1\1\1\1" + bytes(8) + b"\1\1\0"


def varint(number: int) -> bytes:
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])


class TestSchemas:
    def test_a_message_knows_its_versions_and_fields(self) -> None:
        kind = message("OffsetCommitValue")
        assert (kind.first_version, kind.last_version) == (0, 4)
        assert [
            (field.name, field.type, field.first_version, field.last_version, field.tag) for field in kind.fields
        ] == [
            ("offset", "int64", 0, 4, None),
            ("leaderEpoch", "int32", 3, 4, None),
            ("metadata", "string", 0, 4, None),
            ("commitTimestamp", "int64", 0, 4, None),
            ("expireTimestamp", "int64", 1, 1, None),
            ("topicId", "uuid", 4, 4, 0),
        ]

    def test_a_structure_has_fields_of_its_own(self) -> None:
        (members,) = (field for field in message("GroupMetadataValue").fields if field.name == "members")
        assert (members.type, members.is_array, members.is_nullable) == ("struct", True, False)
        assert [field.name for field in members.fields if field.is_nullable] == ["groupInstanceId"]

    def test_a_name_that_is_none_is_refused(self) -> None:
        with pytest.raises(ValueError, match="no message is called 'FetchRequest'"):
            decode_message("FetchRequest", 0, b"")

    def test_each_kind_of_record_has_its_messages(self) -> None:
        known = set(message_names())
        for kinds in coordinator_records.KINDS.values():
            for kind in kinds.values():
                assert {f"{kind}Key", f"{kind}Value"} <= known
        assert coordinator_records.KINDS[CONSUMER_OFFSETS][23] == "StreamsGroupTopology"
        assert coordinator_records.KINDS[TRANSACTION_STATE] == {0: "TransactionLog"}
        assert coordinator_records.KINDS[SHARE_GROUP_STATE] == {0: "ShareSnapshot", 1: "ShareUpdate"}
        assert len(framed_records.NAMES[CLUSTER_METADATA]) == 27
        assert len(framed_records.NAMES[REMOTE_LOG_METADATA]) == 4


class TestCoordinatorRecords:
    def test_a_key_tells_what_the_record_is(self) -> None:
        key = coordinator_records.decode_key(CONSUMER_OFFSETS, OFFSET_KEY)
        assert (key.kind, key.type, key.data) == ("OffsetCommit", 1, {"group": "g", "topic": "topic", "partition": 7})

    def test_a_value_is_read_by_the_type_of_its_key(self) -> None:
        assert coordinator_records.decode_value(CONSUMER_OFFSETS, 1, OFFSET_VALUE_3) == ApiMessage(
            "OffsetCommitValue", 3, OFFSET
        )
        assert coordinator_records.decode_value(CONSUMER_OFFSETS, 1, None) is None

    @pytest.mark.parametrize("number", [9, 18, 24, -1, 32767])
    def test_a_type_that_is_not_known_is_unsupported(self, number: int) -> None:
        with pytest.raises(UnsupportedError, match="unknown type") as caught:
            coordinator_records.decode_key(CONSUMER_OFFSETS, struct.pack(">h", number) + OFFSET_KEY[2:])
        assert (caught.value.expected, caught.value.found) == ("0 to 23", number)
        with pytest.raises(UnsupportedError):
            coordinator_records.decode_value(CONSUMER_OFFSETS, number, None)
        with pytest.raises(UnsupportedError) as single:
            coordinator_records.decode_value(TRANSACTION_STATE, number, None)
        assert (single.value.expected, single.value.found) == (0, number)

    @pytest.mark.parametrize("key", [b"", b"\0"])
    def test_a_key_without_a_type_is_truncated(self, key: bytes) -> None:
        with pytest.raises(TruncatedError):
            coordinator_records.decode_key(TRANSACTION_STATE, key)

    @pytest.mark.parametrize("version", [5, 32767])
    def test_a_newer_version_is_unsupported(self, version: int) -> None:
        with pytest.raises(UnsupportedError, match="OffsetCommitValue of an unknown version") as caught:
            coordinator_records.decode_value(CONSUMER_OFFSETS, 1, struct.pack(">h", version) + OFFSET_VALUE_3[2:])
        assert (caught.value.expected, caught.value.found) == ("version 0 to 4", version)

    def test_a_negative_version_is_corrupt(self) -> None:
        with pytest.raises(CorruptError, match="negative version"):
            coordinator_records.decode_value(CONSUMER_OFFSETS, 1, b"\xff\xff" + OFFSET_VALUE_3[2:])

    def test_bytes_after_a_value_are_passed_over_as_kafka_does(self) -> None:
        value = coordinator_records.decode_value(CONSUMER_OFFSETS, 1, OFFSET_VALUE_3 + b"more")
        assert value is not None
        assert value.data == OFFSET


class TestFrames:
    def test_a_metadata_record_is_read(self) -> None:
        record = framed_records.decode(CLUSTER_METADATA, TOPIC_RECORD)
        assert (record.type, record.api_key) == ("TOPIC_RECORD", 2)
        assert record.message == ApiMessage("TopicRecord", 0, {"name": "t", "topicId": "AAAAAAAAAAAAAAAAAAAAAA"})

    @pytest.mark.parametrize(
        ("value", "expected", "found"),
        [
            (b"\0" + TOPIC_RECORD[1:], 1, 0),
            (b"\2" + TOPIC_RECORD[1:], 1, 2),
            (b"\1\x0d\0" + TOPIC_RECORD[3:], "0 to 29", 13),
            (b"\1\x7f\0" + TOPIC_RECORD[3:], "0 to 29", 127),
            (b"\1\2\1" + TOPIC_RECORD[3:], "version 0", 1),
            (b"\1\2" + varint(2**32 - 1) + TOPIC_RECORD[3:], "version 0", -1),
        ],
        ids=["frame-0", "frame-2", "number-13", "number-127", "version-1", "version-negative"],
    )
    def test_what_is_not_known_is_unsupported(self, value: bytes, expected: object, found: int) -> None:
        with pytest.raises(UnsupportedError) as caught:
            framed_records.decode(CLUSTER_METADATA, value)
        assert (caught.value.expected, caught.value.found) == (expected, found)

    def test_bytes_after_the_message_are_an_error_as_they_are_to_kafka(self) -> None:
        with pytest.raises(CorruptError, match="bytes after a metadata record"):
            framed_records.decode(CLUSTER_METADATA, TOPIC_RECORD + b"\0")

    def test_remote_log_metadata_is_read_by_its_own_numbers(self) -> None:
        (vector, *_) = of("RemotePartitionDeleteMetadataRecord")
        record = framed_records.decode(REMOTE_LOG_METADATA, vector.data)
        assert (record.type, record.api_key) == ("REMOTE_PARTITION_DELETE_METADATA_RECORD", 2)


class TestConsumerProtocol:
    ASSIGNMENT = struct.pack(">ih1sii", 1, 1, b"t", 1, 3) + b"\xff\xff\xff\xff"

    @pytest.mark.parametrize("version", [0, 3, 4, 32767])
    def test_a_later_version_is_read_as_the_last_known(self, version: int) -> None:
        decoded = coordinator_records.decode_assignment(struct.pack(">h", version) + self.ASSIGNMENT)
        assert (decoded.name, decoded.version) == ("ConsumerProtocolAssignment", min(version, 3))
        assert decoded.data == {"assignedPartitions": [{"topic": "t", "partitions": [3]}], "userData": None}

    def test_a_subscription_has_more_in_later_versions(self) -> None:
        subscription = struct.pack(">ih1s", 1, 1, b"t") + b"\0\0\0\1u"
        decoded = coordinator_records.decode_subscription(b"\0\0" + subscription)
        assert decoded.data == {
            "topics": ["t"],
            "userData": b"u",
        }
        with pytest.raises(TruncatedError):
            coordinator_records.decode_subscription(b"\0\1" + subscription)

    @pytest.mark.parametrize("data", [b"", b"\0", b"\xff\xff\0\0\0\0"])
    def test_a_version_that_is_none_is_corrupt(self, data: bytes) -> None:
        with pytest.raises(CorruptError):
            coordinator_records.decode_subscription(data)

    @pytest.mark.parametrize(
        ("rest", "version", "more"),
        [(b"", 0, {}), (b"\0\0\0", 0, {}), (b"\0\0\0\7", 1, {"generation": 7}), (b"\0\0\0\7x", 1, {"generation": 7})],
    )
    def test_user_data_of_the_sticky_assignor_may_have_a_generation(
        self, rest: bytes, version: int, more: dict[str, Any]
    ) -> None:
        decoded = coordinator_records.decode_sticky_user_data(struct.pack(">ih1sii", 1, 1, b"t", 1, 3) + rest)
        assert decoded.version == version
        assert decoded.data == {"previousAssignment": [{"topic": "t", "partitions": [3]}], **more}

    def test_user_data_of_the_cooperative_sticky_assignor_is_a_generation(self) -> None:
        assert coordinator_records.decode_cooperative_sticky_user_data(b"\0\0\0\7").data == {"generation": 7}
        with pytest.raises(TruncatedError):
            coordinator_records.decode_cooperative_sticky_user_data(b"\0\0\0")


class TestTaggedFields:
    @staticmethod
    def offset(tagged: bytes) -> dict[str, Any]:
        return decode_message("OffsetCommitValue", 4, OFFSET_VALUE_4[2:] + tagged).data

    def test_a_tagged_field_is_there_if_it_stands_there(self) -> None:
        assert self.offset(b"\0") == OFFSET
        assert self.offset(b"\1\0\x10" + bytes(16)) == {**OFFSET, "topicId": "AAAAAAAAAAAAAAAAAAAAAA"}

    @pytest.mark.parametrize("tagged", [b"\2\5\3abc\x80\1\0", b"\1\7\0"])
    def test_unknown_tagged_fields_are_skipped(self, tagged: bytes) -> None:
        assert self.offset(tagged) == OFFSET

    @pytest.mark.parametrize(
        "message", ["OffsetCommitValue", "ProducerIdsRecord"]
    )  # with known tagged fields, and without
    def test_a_negative_number_of_tagged_fields_is_corrupt(self, message: str) -> None:
        data, version = (OFFSET_VALUE_4[2:], 4) if message == "OffsetCommitValue" else (struct.pack(">iqq", 0, 1, 2), 0)
        assert decode_message(message, version, data + b"\0")
        for count in (2**31, 2**32 - 1):
            with pytest.raises(CorruptError, match="negative number of tagged fields"):
                decode_message(message, version, data + varint(count))

    @pytest.mark.parametrize(
        "tagged", [b"\1\0\x0f" + bytes(16), b"\1\0\x11" + bytes(17), b"\1\0\0", b"\1\5\4abc", b"\1\5" + varint(2**31)]
    )
    def test_a_field_has_the_size_that_it_tells(self, tagged: bytes) -> None:
        with pytest.raises(CorruptError):
            self.offset(tagged)

    def test_a_tag_that_only_other_versions_have_is_refused_as_kafka_does(self) -> None:
        change = struct.pack(">iq", 1, 2) + b"\1\2\1\1"
        assert decode_message("BrokerRegistrationChangeRecord", 2, change).data["logDirs"] == []
        with pytest.raises(CorruptError, match="this version of the message does not have") as caught:
            decode_message("BrokerRegistrationChangeRecord", 1, change)
        assert caught.value.found == "tag 2"

    def test_fields_come_in_the_order_of_the_schema(self) -> None:
        # Tag 0 is last, and before two fields of the schema.
        partition = struct.pack(">i", 1) + bytes(16) + b"\1" * 4 + struct.pack(">iii", 2, 3, 4) + b"\1\0\1\1"
        names = list(decode_message("PartitionRecord", 0, partition).data)
        assert names.index("leaderRecoveryState") == names.index("leader") + 1


class TestLimits:
    def test_more_elements_than_bytes_are_refused_before_anything_is_made_of_them(self) -> None:
        for count in (7, 2**20, 2**31 - 1):
            tracemalloc.start()
            try:
                with pytest.raises(TruncatedError):
                    decode_message("ClientQuotaRecord", 0, varint(count) + b"\1\1\0" * 2)
                assert tracemalloc.get_traced_memory()[1] < 100_000
            finally:
                tracemalloc.stop()

    def test_null_where_there_must_be_an_array_string_or_bytes_is_refused(self) -> None:
        for name, payload in (
            ("ClientQuotaRecord", b"\0" * 20),
            ("TopicRecord", b"\0" * 20),
            ("UserScramCredentialRecord", b"\2n\1\0" + b"\0" * 20),
        ):
            with pytest.raises(CorruptError, match="must not be null"):
                decode_message(name, 0, payload)

    def test_all_arrays_of_a_message_together_have_a_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        subscription = struct.pack(">i", 3) + b"\0\0" * 3 + b"\xff\xff\xff\xff"
        owned = struct.pack(">i", 2) + (b"\0\0" + struct.pack(">i3i", 3, 1, 2, 3)) * 2
        decoded = coordinator_records.decode_subscription(b"\0\1" + subscription + owned)
        monkeypatch.setattr(readers, "MAX_MESSAGE_MEMORY", decoded.memory)
        assert coordinator_records.decode_subscription(b"\0\1" + subscription + owned) == decoded
        monkeypatch.setattr(readers, "MAX_MESSAGE_MEMORY", decoded.memory - 1)
        with pytest.raises(LimitExceededError, match="its arrays have too many elements"):
            coordinator_records.decode_subscription(b"\0\1" + subscription + owned)

    def test_the_limit_holds_across_tagged_fields(self, monkeypatch: pytest.MonkeyPatch) -> None:
        change = struct.pack(">i", 1) + bytes(16) + b"\2" + b"\0\x09\3" + bytes(8) + b"\2\x09\3" + bytes(8)
        most = decode_message("PartitionChangeRecord", 0, change).memory
        monkeypatch.setattr(readers, "MAX_MESSAGE_MEMORY", most - 1)
        with pytest.raises(LimitExceededError):
            decode_message("PartitionChangeRecord", 0, change)

    def test_memory_is_bounded_by_the_limit_whatever_the_size(self) -> None:
        count = readers.MAX_MESSAGE_MEMORY // readers.ELEMENT_MEMORY + 1
        tracemalloc.start()
        try:
            with pytest.raises(LimitExceededError):
                decode_message(
                    "GroupMetadataValue", 4, b"\1" + bytes(4) + b"\0\0" + bytes(8) + varint(count + 1) + bytes(count)
                )
            assert tracemalloc.get_traced_memory()[1] < 4 * count
        finally:
            tracemalloc.stop()

    @pytest.mark.parametrize(
        ("name", "payload"),
        [
            # Empty arrays in structures in an array, 18 bytes each, and in arrays of such.
            ("ConsumerGroupTargetAssignmentMemberValue", varint(3001) + (bytes(16) + b"\1\0") * 3000 + b"\0"),
            ("GroupMetadataValue", b"\1" + bytes(4) + b"\0\0" + bytes(8) + varint(3001) + MEMBER * 3000 + b"\0"),
            ("PartitionRecord", bytes(20) + (varint(20_001) + struct.pack(">i", 70_000) * 20_000) * 4 + bytes(13)),
        ],
    )
    def test_the_estimate_of_memory_covers_what_is_made(self, name: str, payload: bytes) -> None:
        version = 4 if name == "GroupMetadataValue" else 0
        decode_message(name, version, payload)
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            decoded = decode_message(name, version, payload)
            taken = tracemalloc.get_traced_memory()[0] - before
        finally:
            tracemalloc.stop()
        assert taken <= decoded.memory < 4 * taken


MIB = 2**20
GROUP = b"\1" + bytes(4) + b"\0\0" + bytes(8)
BIG: dict[str, tuple[str, int, bytes]] = {
    "members": (
        "GroupMetadataValue",
        4,
        GROUP + varint(MIB // len(MEMBER) + 1) + MEMBER * (MIB // len(MEMBER)) + b"\0",
    ),
    "unknown tags": ("GroupMetadataValue", 4, GROUP + b"\1" + varint(MIB // 2) + b"\7\0" * (MIB // 2)),
    "one tag again and again": (
        "OffsetCommitValue",
        4,
        OFFSET_VALUE_4[2:] + varint(MIB // 18) + (b"\0\x10" + bytes(16)) * (MIB // 18),
    ),
    "one array": (
        "PartitionChangeRecord",
        0,
        bytes(20) + b"\1\0" + varint(MIB + 3) + varint(MIB // 4 + 1) + bytes(MIB),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("pattern", BIG)
def test_a_mib_takes_some_calls_a_byte_at_most(pattern: str) -> None:
    name, version, payload = BIG[pattern]
    assert calls(lambda: decode_message(name, version, payload)) < 8 * len(payload)


class TestText:
    def test_bytes_are_base64_in_json_and_text_is_as_java_decodes_it(self) -> None:
        assert ApiMessage("X", 0, {"b": b"\0\xff", "t": "é\U0001f600"}).to_json() == '{"b":"AP8=","t":"é\U0001f600"}'
        value = coordinator_records.decode_key(CONSUMER_OFFSETS, b"\0\2\0\5a\xed\xa0\x80b")
        assert value.data == {"group": "a\ufffdb"}

    def test_numbers_that_json_does_not_have_are_strings_as_kafka_prints_them(self) -> None:
        numbers = [float("nan"), float("inf"), float("-inf"), 1.5]
        assert (
            ApiMessage("X", 0, {"n": numbers, "b": b""}).to_json() == '{"n":["NaN","Infinity","-Infinity",1.5],"b":""}'
        )

    @pytest.mark.parametrize("size", [32767, 32768, 40_000])
    def test_strings_are_as_long_as_kafka_allows(self, size: int) -> None:
        payload = varint(size + 1) + b"n" * size + bytes(16) + b"\0"
        if size <= 32767:
            assert decode_message("TopicRecord", 0, payload).data["name"] == "n" * size
        else:
            with pytest.raises(CorruptError, match="string that is too long"):
                decode_message("TopicRecord", 0, payload)

    @pytest.mark.parametrize("name", NAMES)
    def test_data_is_what_json_can_hold_but_for_bytes(self, name: str) -> None:
        for vector in typical(name):
            assert isinstance(json.loads(vector.read(vector.data).to_json()), dict)
