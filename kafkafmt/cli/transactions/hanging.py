"""What is said of hanging transactions: where they begin, why they hang, and the command that ends them."""

from typing import TYPE_CHECKING

from kafkafmt.cli import messages
from kafkafmt.cli.exit_codes import CLEAN, FINDINGS

if TYPE_CHECKING:
    from kafkafmt.topics.transaction_state import Transaction, Transactions

_MOST = 20
_SECOND_MS = 1000
_UNITS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (_SECOND_MS, "s"))


def tell_hanging(answer: "Transactions") -> int:
    """Say what hangs; returns FINDINGS if anything does."""
    hanging = answer.hanging
    for each in hanging[:_MOST]:
        messages.say(_sentence(each))
        if each.abort_command is not None:
            messages.say("note: to abort it, on brokers from 3.0 on:")
            messages.say_command(each.abort_command)
            if each.abort_command_before_3_0 is not None:
                messages.say("note: to abort it, on older brokers:")
                messages.say_command(each.abort_command_before_3_0)
    if len(hanging) > _MOST:
        messages.say(
            f"and {len(hanging) - _MOST} more hang: --output jsonl has the command for each in column abortCommand"
        )
    return FINDINGS if hanging else CLEAN


def _sentence(each: "Transaction") -> str:
    where = each.file or "?" if each.topic is None else f"{each.topic}-{each.partition}"
    whose = "" if each.transactional_id is None else f" of {each.transactional_id}"
    text = f"{where}: the transaction of producer {each.producer_id}{whose} hangs"
    size = (
        "its records are gone"
        if each.records is None
        else "1 record"
        if each.records == 1
        else f"{each.records} records"
    )
    if each.duration_ms:
        least = "at least " if each.start_timestamp is None else ""
        size += f", open for {least}{duration(each.duration_ms)} at the end of the logs"
    return f"{text}, from offset {each.first_offset} on ({size}): {each.reason}"


def duration(milliseconds: int) -> str:
    """A time for people, in the largest unit of which there is one."""
    for size, unit in _UNITS:
        if milliseconds >= size:
            return f"{milliseconds / size:.3g} {unit}"
    return f"{milliseconds} ms"
