"""`compare`: random pairs of logs against a naive model, other batches, compaction, arguments."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kafkafmt
from kafkafmt.errors import SourceError
from kafkafmt.operations import compare
from kafkafmt.writing import BatchBuilder, LogWriter
from tests.golden_cases import tier_case
from tests.operations.compared_logs import Made, only_row, shared, write

# A model in plain Python, written from KIP-101 and KIP-279, of logs as lists.


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Made], list[Made]]:
    """Two logs that diverge after some records, with separate epochs from there on, or within one epoch."""
    common = draw(st.integers(0, 6))
    logs = [[Made(offset, b"%d" % offset, epoch=offset // 3) for offset in range(common)] for _ in range(2)]
    base = common // 3 + 1
    for which, log in enumerate(logs):
        epoch = base
        for _ in range(draw(st.integers(0, 3))):
            epoch += draw(st.integers(0, 2))
            for _ in range(draw(st.integers(1, 3))):
                value = draw(st.sampled_from([b"same", b"%d" % which]))
                log.append(Made(len(log), value, epoch=epoch))
    return logs[0], logs[1]


def naive_cut(leader: list[Made], follower: list[Made]) -> int:
    """Where a follower truncates: it asks for the end of its last epoch until the leader's answer is beyond its own."""
    left = list(follower)
    while left:
        last = left[-1].epoch
        known = [record.epoch for record in leader if record.epoch <= last]
        if not known:
            # The leader's lowest epoch begins above: it has nothing of what is asked for.
            left = left[: leader[0].offset if leader else 0]
            continue
        epoch = max(known)
        end = max(record.offset for record in leader if record.epoch <= epoch) + 1
        if epoch == last and end >= len(left):
            return len(left)
        if epoch in {record.epoch for record in left}:
            left = [record for record in left if record.epoch <= epoch and record.offset < end]
        else:
            left = [record for record in left if record.epoch < epoch]
    return 0


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(pair=histories(), sizes=st.tuples(st.integers(1, 4), st.integers(1, 4)))
def test_random_pairs_against_a_naive_model(
    pair: tuple[list[Made], list[Made]], sizes: tuple[int, int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("pair")
    first, second = pair
    dirs = [write(place / name, log, per_batch=n) for name, log, n in zip("ab", pair, sizes, strict=True)]
    row = only_row(compare(*dirs))
    common = min(len(first), len(second))
    differing = [at for at in range(common) if first[at].content != second[at].content]
    if common == 0:
        assert row["relation"] == ("equal" if not first and not second else None)
    else:
        kind = "equal" if len(first) == len(second) else "prefix"
        assert row["relation"] == ("diverged" if differing else kind)
        assert row["differingRecords"] == len(differing)
        assert (row["contentHashes"][0] == row["contentHashes"][1]) == (not differing)
    assert row["firstDivergentOffset"] == (differing[0] if differing else None)
    if differing:
        assert row["epochsAtDivergence"] == [log[differing[0]].epoch for log in pair]
    # Without records there are no epochs, and the high watermark decides: of an empty log nothing is cut.
    for name, leader, follower in (("First", first, second), ("Second", second, first)):
        cut = naive_cut(leader, follower)
        expected = cut if cut < len(follower) else None
        assert row[f"truncateIf{name}Leads"] == expected
        assert row[f"lostIf{name}Leads"] == (0 if expected is None else len(follower) - cut)
    shutil.rmtree(place)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    data=st.data(),
    sizes=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    codecs=st.tuples(*[st.sampled_from(["none", "gzip", "zstd"])] * 2),
)
def test_random_records_side_by_side(
    data: st.DataObject,
    sizes: tuple[int, int],
    codecs: tuple[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    place = tmp_path_factory.mktemp("records")
    texts = st.none() | st.binary(max_size=2)
    headers = st.lists(st.tuples(st.sampled_from(["a", "b"]), texts), max_size=2).map(tuple)
    logs = []
    for _ in range(2):
        drawn = data.draw(st.lists(st.tuples(st.integers(0, 1), texts, texts, headers), min_size=1, max_size=20))
        # Mostly the same records, so that ranges of equal batches occur in between.
        log = shared(24)
        for at, (timestamp, key, value, named) in enumerate(drawn):
            where = data.draw(st.integers(0, 23)) if at % 4 == 0 else None
            if where is not None:
                log[where] = Made(where, value, timestamp, key, named)
        holes = data.draw(st.sets(st.integers(1, 23), max_size=4))
        logs.append([record for record in log if record.offset not in holes])
    dirs = [
        write(place / name, log, per_batch=n, compression=codec, segment_bytes=400)
        for name, log, n, codec in zip("ab", logs, sizes, codecs, strict=True)
    ]
    by_offset = [{record.offset: record for record in log} for log in logs]
    # Batches with holes are what compaction leaves, and explain what is missing before their end.
    end = min(logs[0][-1].offset, logs[1][-1].offset) + 1
    explained = [sparse_to(log, n, end) for log, n in zip(logs, sizes, strict=True)]
    expected = {}
    for at in range(end):
        one, other = (each.get(at) for each in by_offset)
        if one is not None and other is not None:
            if one.content != other.content:
                expected[at] = [
                    name
                    for name, ours, theirs in zip(
                        ("timestamp", "key", "value", "headers"), one.content, other.content, strict=True
                    )
                    if ours != theirs
                ]
        elif one is not None and at >= explained[1]:
            expected[at] = ["only in first"]
        elif other is not None and at >= explained[0]:
            expected[at] = ["only in second"]
    if cleaned_away(expected, logs):
        expected = {}
    answer = compare(*dirs)
    row = only_row(answer)
    assert row["firstDivergentOffset"] == min(expected, default=None)
    assert row["differingRecords"] == len(expected)
    rows = answer.to_table("records").to_pylist()
    assert {each["offset"]: each["differs"] for each in rows} == expected
    for each in rows:
        for name, records in zip(("first", "second"), by_offset, strict=True):
            record = records.get(each["offset"])
            assert each[f"{name}Value"] == (None if record is None else record.value)
            assert each[f"{name}Key"] == (None if record is None else record.key)
    shutil.rmtree(place)


def cleaned_away(expected: dict[int, list[str]], logs: list[list[Made]]) -> bool:
    """Whether a cleaner can have removed all records that differ: with all earlier ones of their keys."""
    for which, name in enumerate(("only in first", "only in second")):
        if all(each == [name] for each in expected.values()):
            last = {record.key: record for record in logs[which] if record.offset in expected}
            both = [*logs[0], *logs[1]]
            return None not in last and all(
                (gone.value is None or any(each.key == key and each.offset > gone.offset for each in both))
                and not any(each.key == key and each.offset < gone.offset for each in logs[1 - which])
                for key, gone in last.items()
            )
    return False


def sparse_to(log: list[Made], per_batch: int, end: int) -> int:
    """The end of the last batch below `end` that lacks records."""
    found = 0
    for at in range(0, len(log), per_batch):
        batch = log[at : at + per_batch]
        if batch[0].offset < end and batch[-1].offset - batch[0].offset + 1 > len(batch):
            found = batch[-1].offset + 1
    return found


def test_other_batches_and_codecs_are_remarks(tmp_path: Path) -> None:
    a = write(tmp_path / "a", shared(50))
    b = write(tmp_path / "b", shared(50), per_batch=20, compression="zstd", segment_bytes=500)
    row = only_row(compare(a, b))
    assert (row["relation"], row["remarks"]) == ("equal", ["other batches", "other compression"])
    assert row["contentHashes"][0] == row["contentHashes"][1]
    assert only_row(compare(a, b, hashes=False))["contentHashes"] is None


def test_other_formats_are_remarks(tmp_path: Path) -> None:
    plain = [Made(offset, b"%d" % offset) for offset in range(30)]
    a = write(tmp_path / "a", plain, per_batch=3)
    b = write(tmp_path / "b", plain, per_batch=5, message_format=1, compression="gzip")
    row = only_row(compare(a, b))
    assert row["relation"] == "equal"
    assert row["remarks"] == ["other batches", "other message format"]
    same = only_row(compare(b, shutil.copytree(b, tmp_path / "c")))
    assert (same["relation"], same["remarks"], same["differingRecords"]) == ("equal", [], 0)


def test_other_leader_epochs_of_the_same_records_are_a_remark(tmp_path: Path) -> None:
    a = write(tmp_path / "a", [Made(0), Made(1)])
    b = write(tmp_path / "b", [Made(0), Made(1, epoch=3)])
    row = only_row(compare(a, b))
    assert (row["relation"], row["remarks"]) == ("equal", ["other leader epochs"])
    # Kafka truncates them nevertheless, and fetches them again.
    assert (row["truncateIfFirstLeads"], row["lostIfFirstLeads"]) == (1, 1)
    (following,) = (
        each
        for each in compare(a, b).to_table("following").to_pylist()
        if (each["protocol"], each["leader"]) == ("leader epochs", str(a))
    )
    assert (following["cutRecords"], following["lostRecords"]) == (1, 0)


@pytest.mark.parametrize("which", ["first", "second"])
def test_a_leader_epoch_of_minus_one_is_named_and_not_another_epoch(tmp_path: Path, which: str) -> None:
    """No CRC covers it. Kafka goes by leader-epoch-checkpoint, and cuts nothing for it."""
    pair = [write(tmp_path / name, shared(12), per_batch=4) for name in ("first", "second")]
    (log,) = (tmp_path / which).glob("orders-0/*.log")
    content = bytearray(log.read_bytes())
    second = 12 + int.from_bytes(content[8:12], "big")
    content[second + 12 : second + 16] = b"\xff" * 4
    log.write_bytes(content)
    row = only_row(compare(*pair))
    assert (row["relation"], row["remarks"]) == ("equal", [f"leader epoch -1 in {which} at offset 4"])
    assert (row["truncateIfFirstLeads"], row["truncateIfSecondLeads"]) == (None, None)


@pytest.mark.parametrize("checkpointed", [True, False])
def test_what_compaction_removed_is_a_remark(tmp_path: Path, checkpointed: bool) -> None:
    log = shared(20)
    kept = [record for record in log if record.offset >= 9 or record.offset % 4 == 0]
    a = write(tmp_path / "a", log, per_batch=5)
    b = write(tmp_path / "b", kept, per_batch=1 if checkpointed else 4, cleaned_to=9 if checkpointed else None)
    row = only_row(compare(a, b))
    assert (row["relation"], row["differingRecords"]) == ("equal", 0)
    assert row["remarks"] == ["other batches", "second compacted further"]
    assert compare(a, b).to_table("records").num_rows == 0


def test_copies_that_were_compacted_at_different_times_have_not_diverged(tmp_path: Path) -> None:
    """The last batch with holes ends below what the checkpoint says: single batches are removed as a whole."""
    log = shared(30)
    of_first = [record for record in log if record.offset >= 10 or record.offset % 3]
    of_second = [record for record in of_first if record.offset >= 25 or record.offset % 4]
    a = write(tmp_path / "a", of_first, per_batch=2, cleaned_to=10)
    b = write(tmp_path / "b", of_second[:4], per_batch=4, cleaned_to=25)
    rest = write(tmp_path / "rest", of_second[4:])
    log_file, other = (next((each / "orders-0").glob("*.log")) for each in (b, rest))
    log_file.write_bytes(log_file.read_bytes() + other.read_bytes())
    for first, second, which in ((a, b, "second"), (b, a, "first")):
        row = only_row(compare(first, second))
        assert (row["relation"], row["firstDivergentOffset"], row["differingRecords"]) == ("equal", None, 0)
        assert row["remarks"] == ["other batches", f"{which} compacted further"]


@pytest.mark.parametrize(
    ("gone", "relation"),
    [
        ({4, 5, 6, 7}, "equal"),  # whole batches, whose keys all have later records
        ({12, 13, 14, 15}, "diverged"),  # the last record of key d
        ({10, 11, 12, 13}, "diverged"),  # the record of key c before its last one would be gone, too
    ],
)
def test_whole_batches_are_gone_by_compaction_if_their_keys_have_later_records(
    tmp_path: Path, gone: set[int], relation: str
) -> None:
    keys = b"xyxy" + b"abab" + b"ccaacddd" + b"ab"
    log = [Made(at, b"v", key=keys[at : at + 1]) for at in range(len(keys))]
    a = write(tmp_path / "a", log, per_batch=2)
    b = write(tmp_path / "b", [each for each in log if each.offset not in gone], per_batch=2)
    for first, second, which in ((a, b, "second"), (b, a, "first")):
        row = only_row(compare(first, second))
        assert row["relation"] == relation
        assert (f"{which} compacted further" in row["remarks"]) == (relation == "equal")
        assert compare(first, second).to_table("records").num_rows == (0 if relation == "equal" else len(gone))


def test_damage_beyond_what_both_have_is_said(tmp_path: Path) -> None:
    a = write(tmp_path / "a", shared(20), per_batch=2)
    b = write(tmp_path / "b", shared(10), per_batch=2)
    log_file = next((a / "orders-0").glob("*.log"))
    data = bytearray(log_file.read_bytes())
    data[-3] ^= 1
    log_file.write_bytes(data)
    answer = compare(a, b)
    row = only_row(answer)
    assert (row["relation"], row["damaged"], row["remarks"]) == ("prefix", [0, 0], ["first damaged"])
    assert [(each.first_offset, each.last_offset) for each in answer.damage] == [(18, 19)]


def test_differing_records_may_have_any_timestamp(tmp_path: Path) -> None:
    """Also those after the year 9999, which no datetime of Python can be."""
    far = 2**63 - 1
    a = write(tmp_path / "a", [Made(0), Made(1, timestamp=far), Made(2, b"first", far)])
    b = write(tmp_path / "b", [Made(0), Made(2, b"second", far)])
    records = compare(a, b).to_table("records")
    columns = ("firstTimestamp", "secondTimestamp")
    assert records.column("offset").to_pylist() == [1, 2]
    assert [records.column(name).cast("int64").to_pylist() for name in columns] == [[far, far], [None, far]]


def test_a_hole_that_nothing_explains_is_a_difference(tmp_path: Path) -> None:
    log = shared(20)
    a = write(tmp_path / "a", log, high_watermark=20)
    b = write(tmp_path / "b", [record for record in log if record.offset not in (7, 8)], cleaned_to=7)
    answer = compare(b, a)
    row = only_row(answer)
    assert (row["relation"], row["firstDivergentOffset"], row["epochsAtDivergence"]) == ("diverged", 7, [None, 0])
    assert row["highWatermarks"] == [None, 20]
    rows = answer.to_table("records").to_pylist()
    assert [(each["offset"], each["differs"], each["secondValue"]) for each in rows] == [
        (7, ["only in second"], b"value 7"),
        (8, ["only in second"], b"value 8"),
    ]


def test_more_than_two_copies(tmp_path: Path) -> None:
    dirs = [write(tmp_path / name, shared(count)) for name, count in (("a", 5), ("b", 5), ("c", 3))]
    rows = compare(*dirs).to_table().to_pylist()
    assert [(Path(row["first"]).name, Path(row["second"]).name, row["relation"]) for row in rows] == [
        ("a", "b", "equal"),
        ("a", "c", "prefix"),
        ("b", "c", "prefix"),
    ]


def test_partition_directories_of_other_names(tmp_path: Path) -> None:
    a = write(tmp_path / "a", shared(5))
    b = Path(shutil.copytree(a / "orders-0", tmp_path / "mirrored-7"))
    row = only_row(compare(a / "orders-0", b))
    assert (row["topic"], row["partition"], row["relation"]) == ("orders", 0, "equal")


def test_hashes_of_ranges_need_no_second_copy(tmp_path: Path) -> None:
    a = write(tmp_path / "a", shared(25), per_batch=4)
    changed = [*shared(25)]
    changed[13] = Made(13, b"changed")
    b = write(tmp_path / "b", changed, per_batch=7, compression="gzip")
    one, other = (compare(each, range_size=10).to_table("ranges").to_pylist() for each in (a, b))
    assert [(row["firstOffset"], row["endOffset"], row["records"]) for row in one] == [
        (0, 10, [10]),
        (10, 20, [10]),
        (20, 30, [5]),
    ]
    assert [ours == theirs for ours, theirs in zip(one, other, strict=True)] == [True, False, True]
    both = compare(a, b, range_size=10).to_table("ranges").to_pylist()
    assert [row["contentHashes"] for row in both] == [
        [ours["contentHashes"][0], theirs["contentHashes"][0]] for ours, theirs in zip(one, other, strict=True)
    ]
    assert compare(a).to_table().num_rows == 0


def test_the_hash_is_the_one_that_the_documentation_describes(tmp_path: Path) -> None:
    """It must not change between versions: hashes are kept, and compared between machines."""
    records = [
        Made(3, b"x", 5, b"k", (("h", b"1"), ("i", None))),
        Made(4, None, 6),
        Made(5, b"", 7, b""),
    ]
    a = write(tmp_path / "a", records)
    assert only_row(compare(a), "ranges")["contentHashes"] == ["8aaf9b5e399f8f14407e66d028306900"]


def test_disks_compare_with_disks_and_choose_topics(tmp_path: Path) -> None:
    a, b = (write(tmp_path / name, shared(5)) for name in "ab")
    disks = kafkafmt.open(a)
    answer = disks.compare(kafkafmt.open(b), topics="orders")
    assert only_row(answer)["relation"] == "equal"
    assert answer.names == (str(a), str(b))
    none = disks.compare(b, topics="invoices", missing="note")
    assert none.to_table().num_rows == 0
    assert "no topic invoices" in none.notes[0]


def test_other_topic_ids_are_a_note(tmp_path: Path) -> None:
    dirs = []
    for name, topic_id in (("a", "iZFq4xlTQ9yD0sUWZq2bEw"), ("b", "6GQxQq2TQIyGkOp5o3UPNg")):
        dirs.append(write(tmp_path / name, shared(2)))
        (dirs[-1] / "orders-0" / "partition.metadata").write_text(f"version: 0\ntopic_id: {topic_id}")
    answer = compare(*dirs)
    assert only_row(answer)["relation"] == "equal"
    assert answer.notes[0].endswith(
        "different topic ids (iZFq4xlTQ9yD0sUWZq2bEw, 6GQxQq2TQIyGkOp5o3UPNg): created again, or of another cluster"
    )
    other = (dirs[1] / "orders-0").rename(dirs[1] / "invoices-0")
    answer = compare(dirs[0] / "orders-0", other)
    assert only_row(answer)["relation"] == "equal"
    assert answer.notes[0].endswith("these are different topics")


def test_a_bucket_and_the_disk_that_it_was_filled_from() -> None:
    case = tier_case(1)
    keys = {name: str(path) for name, path in case.keys.items()}
    rows = compare([case.log_dir, case.tier], case.tier, decryption_keys=keys).to_table().to_pylist()
    found = [(row["relation"], row["differingRecords"]) for row in rows]
    # Kafka's own topics, and one that is local only, are not uploaded.
    assert (found.count(("prefix", 0)), found.count(("missing", None)), len(found)) == (7, 5, 12)


def test_arguments_that_make_no_sense(tmp_path: Path) -> None:
    a = write(tmp_path / "a", shared(2))
    with pytest.raises(TypeError, match="two or more"):
        compare()
    with pytest.raises(ValueError, match="range_size"):
        compare(a, a, range_size=0)
    with pytest.raises(ValueError, match="on_damage"):
        compare(a, a, on_damage="ignore")  # type: ignore[arg-type]
    with pytest.raises(SourceError):
        compare(a, tmp_path / "nowhere")
    with pytest.raises(SourceError, match="takes directories"):
        compare(a, next(a.glob("orders-0/*.log")))


def test_offsets_that_go_back_are_a_finding(tmp_path: Path) -> None:
    a = write(tmp_path / "a", shared(6))
    b = Path(shutil.copytree(a, tmp_path / "b"))
    (log,) = (b / "orders-0").glob("*.log")
    content = bytearray(log.read_bytes())
    size = len(content) // 6
    content[3 * size : 3 * size + 8] = (1).to_bytes(8, "big")
    log.write_bytes(content)
    answer = compare(a, b)
    row = only_row(answer)
    # The record is there, under an offset that no CRC covers: damage, as with a wrong CRC.
    assert (row["relation"], row["firstDivergentOffset"], row["damaged"]) == ("equal", None, [0, 1])
    assert row["remarks"] == ["first is whole; second lacks 3 (damaged)"]
    assert any(note.is_finding and "base offset 1 should be 3" in note for note in answer.notes)


@pytest.mark.parametrize(("gone", "relation"), [({1}, "diverged"), ({0, 1}, "equal"), ({0, 1, 3}, "diverged")])
def test_a_marker_is_gone_by_compaction_only_with_its_transaction(
    tmp_path: Path, gone: set[int], relation: str
) -> None:
    """Kafka's cleaner keeps a marker while a batch of its transaction is left (`CleanedTransactionMetadata`)."""
    of_producer: dict[str, Any] = {"producer_id": 7, "producer_epoch": 0, "is_transactional": True}
    of_producer["partition_leader_epoch"] = 0
    batches = []
    for at in range(5):
        if at == 4:
            batch = BatchBuilder(base_offset=at, partition_leader_epoch=0)
        elif at % 2:
            batch = BatchBuilder(base_offset=at, is_control=True, **of_producer)
            batch.append_control(1_700_000_000_000, "COMMIT", coordinator_epoch=0)
        else:
            batch = BatchBuilder(base_offset=at, base_sequence=at // 2, **of_producer)
        if at % 2 == 0:
            batch.append(1_700_000_000_000, b"key", b"value")
        batches.append(batch.build())
    for name, left_out in (("a", set[int]()), ("b", gone)):
        (tmp_path / name).mkdir()
        log = LogWriter(tmp_path / name / "orders-0")
        log.append(b"".join(each for at, each in enumerate(batches) if at not in left_out))
        log.close()
    row = only_row(compare(tmp_path / "a", tmp_path / "b"))
    assert row["relation"] == relation
    assert ("second compacted further" in row["remarks"]) == (relation == "equal")
