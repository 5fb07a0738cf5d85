"""Complete commands for the advice of `verify`, ready to be pasted."""

from shlex import quote
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkafmt.startup.node_start import NodeStart

_NEW_DIRECTORY: Final = "NEW_DIR"
_OTHER_NODE: Final = "OTHER_NODE"


def repair_command(nodes: "Iterable[NodeStart]", donors: "Iterable[NodeStart] | None", remark: str = "") -> str:
    """The command that repairs nodes with other nodes' log directories; "" if there are no donors.

    Args:
        nodes: the nodes to repair; a lost directory of theirs is `NEW_DIR`, with a remark.
        donors: nodes with other copies; those among `nodes` are ignored. None if they are not known: the command has
            `OTHER_NODE`, with a remark.
        remark: an addition to the remark on unknown donors, or "".
    """
    repaired = list(nodes)
    others = [each for each in donors or () if each not in repaired]
    if not repaired or (not others and donors is not None):
        return ""
    words = ["kafkafmt repair"]
    for node in repaired:
        words += [quote(each.path) for each in node.log_dirs]
        words += [_NEW_DIRECTORY] * (node.absent_dirs + node.unnamed_dirs)
    words += [f"--from {quote(each.path)}" for node in others for each in node.log_dirs if not each.is_missing]
    words += [f"--from {_OTHER_NODE}"] if donors is None else []
    names = [str(node.node_id) for node in repaired if node.node_id is not None]
    command = " ".join([*words, f"--out {'-'.join(['repaired', *names])}"])
    remarks = [f"{_NEW_DIRECTORY}: an empty directory in place of the lost one"] if _NEW_DIRECTORY in words else []
    if donors is None:
        remarks += [f"{_OTHER_NODE}: log directories of another node, or an older copy", *filter(None, [remark])]
    return f"{command} ({'; '.join(remarks)})" if remarks else command


def format_command(cluster_id: str | None) -> str:
    """The command that formats empty log directories, and leaves the others unchanged.

    A controller of a dynamic quorum (KIP-853) needs `--no-initial-controllers`; Kafka 4.x takes it everywhere
    (`StorageTool.runFormatCommand`).
    """
    options = "--ignore-formatted --no-initial-controllers --config server.properties"
    return f"kafka-storage.sh format --cluster-id {cluster_id or 'CLUSTER_ID'} {options}"


def election_command(topic: str, partition: int) -> str:
    """The command that elects an out-of-sync replica: the first one that is alive."""
    of = f"--topic {quote(topic)} --partition {partition}"
    return f"kafka-leader-election.sh --bootstrap-server HOST:PORT --election-type unclean {of}"
