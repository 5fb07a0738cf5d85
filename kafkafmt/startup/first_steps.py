"""The first step for a node with damaged logs: one repair, before any file is deleted."""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kafkafmt.files.damage import TAILS
from kafkafmt.findings import FINDING
from kafkafmt.startup.commands import repair_command
from kafkafmt.survey.advice import FILL, INDEX, LOG_END, PADDED_TIME_INDEX, RECOVER_IT, SNAPSHOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kafkafmt.findings import Finding
    from kafkafmt.startup.node_start import NodeStart

_LOST: Final = frozenset({"checksum", "corrupt", "truncated", "no log", "gap", "offset", "overlap", "cut", *TAILS})
"""Kinds of findings on records that another copy may have, and that deleting a file does not restore."""
_FOLLOWS: Final = frozenset({"log end", "deleted segments"})
"""Kinds that a wrong index alone can also cause."""
_DELETE: Final = frozenset({INDEX, LOG_END, PADDED_TIME_INDEX, SNAPSHOT})
_LEFT_OUT: Final = "damaged batches are left out"
_KEPT: Final = "the batch is kept, as its own CRC is right and brokers serve it"
_REPAIR_DOES_IT = "leave it: kafkafmt repair writes a new one"


def with_first_steps(found: "Iterable[Finding]", nodes: "Sequence[NodeStart]") -> "Iterator[Finding]":
    """Advise a repair for all damage of a node, and drop the advice to delete files that the repair rebuilds."""
    every = [*found]
    damaged = [node for node in nodes if any(_is_loss(each) and _is_on(each.path, node) for each in every)]
    commands = {id(node): _command(node, nodes, _LEFT_OUT) for node in damaged}
    commands_inside = {id(node): _command(node, nodes, _KEPT) for node in damaged}
    for each in every:
        node = next((one for one in nodes if id(one) in commands and _is_on(each.path, one)), None)
        if node is None or each.level != FINDING or not each.advice or not _is_filled(each):
            yield each
        elif each.is_inside:
            yield replace(each, advice=commands_inside[id(node)])
        elif each.kind == "offset" and each.position is None:  # a checkpoint past its log
            yield replace(each, advice=f"{each.advice}; {commands[id(node)]}")
        elif each.kind in _LOST or each.kind in _FOLLOWS or each.advice == RECOVER_IT:
            yield replace(each, advice=commands[id(node)])
        elif each.advice in _DELETE:
            yield replace(each, advice=_REPAIR_DOES_IT)
        else:
            yield each


def _command(node: "NodeStart", nodes: "Sequence[NodeStart]", without: str) -> str:
    others = [each for each in nodes if each.cluster_id == node.cluster_id]
    command = repair_command([node], others) or repair_command([node], None, f"without --from {without}")
    return f"before the start: {command}"


def _is_loss(each: "Finding") -> bool:
    """Whether a finding is about lost records; one without advice is explained by the finding that ends the start."""
    return each.kind in _LOST and each.level == FINDING and bool(each.advice) and _is_filled(each)


def _is_filled(each: "Finding") -> bool:
    """Whether another copy can fill the damage: faults inside a batch are the same in all copies."""
    return not each.is_inside or each.advice.startswith(FILL)


def _is_on(path: str, node: "NodeStart") -> bool:
    return any(path.startswith(f"{each.path.rstrip('/')}/") for each in node.log_dirs)
