"""The start of tools/proof, standard library only: the command line, the environments, then the proof itself."""

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import environment
from class_path import TOOLS, kafka_class_path, tool
from proof_jars import (
    fetch_for_kills,
    fetch_for_loads,
    fetch_for_registry,
    fetch_for_resets,
    fetch_for_spark,
    fetch_for_streaming,
    sink_jars,
)

SPARK_ENVIRONMENT = "build/spark_proof/venv"

Option = tuple[str, dict[str, Any]]
"""An option of a proof's command line: its name, and the arguments of `add_argument`."""


def _number(name: str, default: int, text: str, metavar: str = "S") -> Option:
    return name, {"type": int, "default": default, "metavar": metavar, "help": f"{text} (default: {default})"}


def _names(name: str, text: str) -> Option:
    return name, {"nargs": "+", "metavar": "NAME", "help": text}


def _flag(name: str, text: str) -> Option:
    return name, {"action": "store_true", "help": text}


_CASES = (
    _number("--cases", 20, "how many starts", "N"),
    _number("--seed", 1, "of the first case"),
    ("--nodes", {"type": int, "choices": (1, 2, 3), "help": "how many the cluster has (default: the seed decides)"}),
)
_CASES_OF_CLUSTER = "repair the disks of tests/golden/cluster: cases by name or number (default: all)"
_WAYS = "each node by itself with the others as donors, all in one call (default: both), or not at all"
_GOLDEN = (
    ("--golden", {"nargs": "*", "metavar": "CASE", "help": _CASES_OF_CLUSTER}),
    ("--way", {"choices": ("alone", "together", "untouched"), "help": _WAYS}),
)
_KILLS = (_number("--kills", 50, "of each kind of table, or in all", "N"), _number("--seed", 1, "of the moments"))
_QUICK = _flag("--quick", "ask in the oldest and newest versions only")
_DISKS = (_names("--disk", "which disks (default: all)"), _QUICK)
_CLIENTS = (
    _names("--client", "which clients (default: all)"),
    _flag("--quick", "read three disks only"),
    _flag("--write", "write the matrix to docs/serve.md"),
)
_PARTS = (
    _names("--part", "golden, million, refusals, secured, retention, kills, page; or speed, which is by hand"),
    _flag("--quick", "few disks, records and kills"),
    _number("--seed", 1, "of the kills"),
)


@dataclass(frozen=True)
class Proof:
    """A proof: a module that runs in an environment.

    Attributes:
        module: module of the proof; its `main` takes the command-line arguments.
        description: what it proves, in full.
        fetch: fetches the jars with Maven.
        requirements: list of requirements of the environment.
        directory: directory of the environment.
        options: further options of the command line.
        can_keep: whether it has the option --keep.
    """

    module: str
    description: str
    fetch: Callable[[], object]
    requirements: str = "test"
    directory: str = ".venv"
    options: tuple[Option, ...] = ()
    can_keep: bool = True


PROOFS = {
    "cluster": Proof(
        "cluster_proof.run",
        """\
A broker's disks say the same as Admin about its cluster.

Start a Kafka broker of one node (4.4.0, KRaft, on loopback, two log directories), let Kafka's own clients do to it what
operators and applications do - groups of all four types, static members, transactions in every state that lasts, one
that hangs, idempotent producers, topics made, deleted and made again, configs, quotas, ACLs, SCRAM users - and ask it
through Admin for groups, offsets, transactions, producers, topics, configs and the rest. End it by a crash with all its
clients connected, and ask its disks through kafkafmt.topics: every single fact must be the same. Then start it again,
change some of all that, ask again, stop it in order, and compare again; and what the disks say as of the moment before
the crash must be what Admin said then. Takes about a minute on two cores.
""",
        kafka_class_path,
    ),
    "spark": Proof(
        "spark_proof.run",
        """\
A broker's disks give Spark the rows that Spark's own kafka source gives.

Start a Kafka broker of one node (4.4.0, KRaft, on loopback), let Kafka's own producers fill it, read it through the
kafka source that Spark brings, end the broker, and read its disk through format("kafkafmt"): each case gives both the
same options, and they must give the same rows, all columns, or both refuse. The broker is ended by a crash, and, after
it has recovered, in order; its disk is read after each. Takes about three minutes on two cores.

With Spark 4.0.0, the oldest that kafkafmt supports, in an environment of its own (build/spark_proof): pyspark 4.0.0
with org.apache.spark:spark-sql-kafka-0-10_2.13:4.0.0, spark-token-provider-kafka-0-10_2.13:4.0.0,
org.apache.kafka:kafka-clients:3.9.0 and org.apache.commons:commons-pool2:2.12.0.
""",
        fetch_for_spark,
        "spark_proof",
        SPARK_ENVIRONMENT,
    ),
    "startup": Proof(
        "startup_proof.run",
        """\
Brokers started on damaged disks do what `kafkafmt verify` predicts.

Start a Kafka cluster of one to three nodes (4.4.0, KRaft, on loopback, up to two log directories a node), fill it with
small segments of every codec, groups, a compacted topic and transactions, one of which stays open, and end it: by a
crash, in order, or by a crash long after its last node. Damage copies of its log directories (seeded: flipped bits, cut
and zeroed tails, lengths, indexes, segments, checkpoints, producer snapshots, leader epochs, partition.metadata,
meta.properties, the mark of a clean shutdown; of several nodes also one restored from an older snapshot, lost metadata
logs, directories exchanged), let verify predict, and start all nodes on each: whether a node starts, which directories
are online, and of each partition the action, log start and end, where it is cut, deleted segments and rebuilt indexes
must be the same. The metadata log counts with where it is cut, alone. Takes about ten seconds a case and node on two
cores, and up to a minute before for each number of nodes.
""",
        kafka_class_path,
        options=_CASES,
    ),
    "repair": Proof(
        "startup_proof.run",
        """\
Brokers started on what `kafkafmt repair` makes of damaged disks load every log as it is, and serve every record.

Start a Kafka cluster, fill it, end it, and damage copies of its log directories, all as the proof "startup" does.
Repair each copy, node by node with the others as donors or all nodes in one call, and start all nodes on the result:
they start, no log is recovered, cut or set aside, no directory is offline, and a consumer gets every record that lay
sound on a disk of any node, by Kafka's own record classes, and no other. Takes about ten seconds a case
and node on two cores, and up to a minute before for each number of nodes.

With --golden the disks are those of tests/golden/cluster, whose README.md says what must come of a repair.
""",
        kafka_class_path,
        options=(*_CASES, *_GOLDEN),
    ),
    "tiers": Proof(
        "tier_proof.run",
        """\
A broker serves what `kafkafmt repair` makes of a bucket.

Take tiers that real brokers filled (tests/golden/tiered: compressed and encrypted chunks, leaders that moved), create
their topics on a new broker (4.4.0, KRaft, on loopback), stop it, run the recipe of docs/data_engineers.md, and
start it again: a consumer must get every record that kafkafmt reads from the bucket, at its offset, with both isolation
levels. Takes about half a minute on two cores.
""",
        kafka_class_path,
        "spark_proof",
        SPARK_ENVIRONMENT,
    ),
    "resets": Proof(
        "reset_proof.run",
        """\
kafka-consumer-groups.sh sets the offsets that `kafkafmt groups --reset-file` writes.

Start a Kafka broker of one node (4.4.0, KRaft, on loopback), let clients fill it and Kafka's own tool (kafka-tools
4.3.1) commit offsets for two groups, stop it, and write reset files from its disk, for one group and for both. Start it
again, move the offsets away, and let the tool read each file: the broker must have the same offsets as before. Then
mirror the topic to a second broker, where the records have other offsets, and let the tool set translated offsets
there: each must be that of the record that the producer wrote for the next one. Takes about a minute on two cores.
""",
        fetch_for_resets,
    ),
    "follow": Proof(
        "follow_proof.run",
        """\
`kafkafmt cat --follow` prints, and `kafkafmt serve --follow` serves, what Kafka's consumers get from a broker at work.

Start a Kafka broker of one node (4.4.0, KRaft, on loopback), follow its log directory with both isolation levels,
serve it, and let Kafka's own clients fill it: segments roll, are deleted and compacted, DeleteRecords moves log
starts, topics are made, deleted and made again, partitions are added, transactions commit, abort and stay open for
seconds. Two of Kafka's consumers read along; each must get the records that kafkafmt printed, and Ctrl-C must end it
with status 0. Two others read from the server, and must get the same records. Takes about a minute on two cores.
""",
        kafka_class_path,
        options=(_number("--seconds", 40, "of traffic"),),
    ),
    "serve": Proof(
        "serve_proof.run",
        """\
A broker and `kafkafmt serve` give the same answers about the same disk.

Start a Kafka broker of one node (4.4.0, KRaft, on loopback) on a copy of a disk and `kafkafmt serve` on another, send
both the same requests of every API that reads, in each version that both know, let Kafka's own classes decode the
answers, and compare them field by field, records byte for byte. The disks are those of golden cases of all eras, to
which a metadata log is added where they have none, and of a cluster that clients have just filled. Differences that
are meant are counted by their reason. Takes about two minutes a disk on two cores, and half a minute with --quick.
""",
        kafka_class_path,
        options=_DISKS,
    ),
    "clients": Proof(
        "clients_proof.run",
        """\
Kafka's clients read from `kafkafmt serve` what is on the disks.

Serve the shop's disk, golden disks of all eras and a tier, and let clients of many languages read them: Kafka's own of
2.8 to 4.4, kcat, confluent-kafka, aiokafka, kafka-python, franz-go, sarama, KafkaJS, @platformatic/kafka and Spark's
kafka source. Each must get the golden records, with both isolation levels; groups must begin at the offsets that they
have committed on the disk, with both protocols; and producers must be refused in clear words. Kafka's command line
tools must say what the disk says, Connect's file sink must write all values, MirrorMaker 2 must restore the disk into a
live broker, Kaskade's screens must show it, and other protocols must be refused. Takes about fifteen minutes on
two cores, a minute for --client java-4.4 confluent-kafka --quick.

Clients come from Maven, PyPI, npm and the Go module proxy, pinned; kcat, Kaskade, Go and Node.js must be installed. One
that is missing is skipped, unless --client names it.
""",
        kafka_class_path,
        options=_CLIENTS,
    ),
    "replay": Proof(
        "replay_proof.run",
        """\
A live broker has after `kafkafmt replay` the records of the disk, each once, however often it was killed.

Start a Kafka broker of one node (4.4.0, KRaft, on loopback), replay golden disks of all eras, a tier, the shop's disk
and a million records into it, and compare what its disk then holds with the source: keys, values, headers, timestamps,
partitions, the order, the offset map, the next record of each group, and the schemas of a registry. Kill replays at 200
random moments, pause some while another start takes over, and end the broker meanwhile: nothing may be lost or there
twice. Targets that cannot take the records are refused before a byte is sent; brokers with TLS, PLAIN and SCRAM let the
right user in; retention deletes nothing while it is held. Takes about 20 minutes on two cores, a minute and a half with
--quick. By hand, --part speed: a million records by kafkafmt replay, kafka-producer-perf-test.sh and MirrorMaker 2.
""",
        kafka_class_path,
        options=_PARTS,
    ),
    "registry": Proof(
        "registry_proof.run",
        """\
Apicurio Registry has after its import of `kafkafmt schemas --out` the ids and versions of the disk.

Write the schemas of the shop's disk and of golden disks, whose schemas Confluent's registry wrote and answered; start
Apicurio Registry (3.3.3 on Java 21 or later, else 3.0.9; on loopback, storage in memory), import each archive, and ask
its API that is Confluent's: subjects, versions, deleted versions, ids, types, texts and references must be those that
Confluent's registry had. `kafkafmt schemas URL` must read the same, `cat --schemas URL` decode the same values as the
disk, and the next schema must get the next id and version. Intended differences: ids of other contexts, and
subjects that are wholly deleted, which Apicurio Registry lists and does not give. Also prints what it keeps of
import.jsonl. Takes about two minutes on two cores, and half a minute with --disk shop registry.
""",
        fetch_for_registry,
        options=(_names("--disk", "which disks (default: all)"),),
    ),
    "operations": Proof(
        "operations_proof.run",
        """\
A broker does with its logs what kafkafmt predicts from its disk.

Start a Kafka broker of one node (4.4.0, KRaft, on loopback) that makes no pass of retention, and let Kafka's own
clients fill topics whose limits come from the topic, the node, the cluster and server.properties, with records of all
ages and one with a time to come; DeleteRecords moves log starts. Fill compacted topics, too, with tombstones, codecs
and transactions, some aborted and some left open; one of them the cleaner takes meanwhile. Stop it, let `kafkafmt
retention` and `kafkafmt compaction --out` predict, and start it again with a pass every half second: the segments that
are left, and the log starts, must be those that were predicted, and so must cleaner-offset-checkpoint, and the records
and batches of the logs that were cleaned. Takes about half a minute on two cores.
""",
        kafka_class_path,
    ),
    "load": Proof(
        "load_proof.run",
        """\
`kafkafmt load` loses and repeats nothing, whenever it is killed; Spark reads its tables, and Connect takes over.

Load a log directory into tables of Delta Lake, Iceberg and Parquet files in many commits, and kill each load (SIGKILL)
at a random moment: the rows of the table must be those below its offsets, each once; and after the next load all of
them. Then let Spark read tables that are divided by topic and day: rows, values and timestamps must be those of
kafkafmt.scan. Takes about seven seconds a kill on two cores, and half a minute for Spark.

With Spark and jars as the proof "sinks".
""",
        fetch_for_loads,
        options=_KILLS,
    ),
    "streaming": Proof(
        "spark_stream_proof.run",
        """\
Spark streams of a broker's disk have the batches that Spark's own kafka source has.

Start a Kafka broker of one node (4.4.0, KRaft, on loopback), and let Kafka's own clients fill it step by step:
segments roll, partitions and topics are added, transactions commit, abort and stay open, DeleteRecords moves log
starts. After each step streams of the kafka source, and of format("kafkafmt") on the broker's disk with the same
options, continue from their checkpoints: the offsets logs must be the same, and the rows of each batch, all columns.
Then each continues from the other's checkpoint, with the next record; and where records were deleted before they were
read, both fail, or continue with failOnDataLoss = false. Takes about four minutes on two cores, below two with --quick.

With Spark 4.2.0 in an environment of its own (build/bench_spark): pyspark 4.2.0 with
org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0 and org.apache.kafka:kafka-clients:3.9.2.
""",
        fetch_for_streaming,
        "bench_spark",
        "build/bench_spark/venv",
        options=(_flag("--quick", "run three cases only"),),
    ),
    "streaming-kills": Proof(
        "spark_stream_proof.kills",
        """\
A Spark stream into a Delta table that is killed at any moment loses no record, and repeats none.

Start a Kafka broker of one node (4.4.0, KRaft, on loopback), let Kafka's own clients write records and transactions
without a pause, and let a query read its disk by format("kafkafmt") into a Delta table. At random moments kill (-9) one
of Spark's Python processes, or the driver with all that it has started, and start it again from its checkpoint. In the
end the table must have every record once that Spark's kafka source reads from the broker. Takes about ten minutes for
50 kills on two cores, a minute and a half for --kills 4.

With Spark 4.0.0 in the environment of the proof "spark", io.delta:delta-spark_2.13:4.0.0 and the kafka source.
""",
        fetch_for_kills,
        "spark_proof",
        SPARK_ENVIRONMENT,
        options=_KILLS,
    ),
    "sinks": Proof(
        "spark_sinks.run",
        """\
The recipes for Delta Lake and Apache Iceberg write what kafkafmt.scan reads.

Run the recipes of docs/spark_recipes.md, as they stand there, on log directories that real brokers wrote, and compare
what the tables then hold. Takes about a minute on two cores.

With Spark 4.0.0 in the environment of the proof "spark", io.delta:delta-spark_2.13:4.0.0 and
org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.11.0.
""",
        sink_jars,
        "spark_proof",
        SPARK_ENVIRONMENT,
        can_keep=False,
    ),
}


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line; the proof's name is `name`."""
    summaries = "\n".join(f"  {name:15} {proof.description.splitlines()[0]}" for name, proof in PROOFS.items())
    parser = argparse.ArgumentParser(
        prog="tools/proof",
        description=f"Start real brokers and tools, and compare their answers with what kafkafmt reads:\n\n{summaries}",
        epilog="Needs a JDK 17 or later and Maven 3.6 or later, and for the first run a network. Exit status: 0 the "
        "same, 1 a difference, 2 a tool is missing or fails.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = parser.add_subparsers(dest="name", required=True, metavar="NAME", help="and its --help says more")
    for name, proof in PROOFS.items():
        one = names.add_parser(
            name, description=proof.description, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        for option, how in proof.options:
            one.add_argument(option, **how)
        if proof.can_keep:
            one.add_argument(
                "--keep", type=Path, metavar="DIR", help="leave log directories and logs in this new directory"
            )
    options = parser.parse_args(arguments)
    if getattr(options, "keep", None) is not None and options.keep.exists():
        parser.error(f"--keep: {options.keep} exists already")
    return options


@environment.command("tools/proof")
def main(arguments: list[str]) -> int:
    """Run tools/proof; returns an exit status only if the proof could not be started, as it replaces the process."""
    proof = PROOFS[parse(arguments).name]
    tool("java")
    proof.fetch()
    ready = environment.prepare(proof.requirements, directory=proof.directory)
    variables = {**ready.variables, "PYTHONPATH": str(TOOLS)}
    os.execve(ready.python, [str(ready.python), "-m", proof.module, *arguments], variables)
    return environment.EXIT_SETUP_FAILED  # pragma: no cover - execve does not return
