"""The errors of a replay: errors of the target cluster, and refusals to send."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from kafkafmt.errors import KafkafmtError
from kafkafmt.protocol.error_codes import ErrorCode


class TargetError(KafkafmtError):
    """The target cluster cannot be reached, or refuses a request. What was committed there stays; a new start resumes.

    Attributes:
        code: error code of the broker's answer; None without an answer.
    """

    def __init__(self, message: str, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle with the code."""
        return type(self), (self.message, self.code)


class RetriableError(TargetError):
    """A fault that may pass: a lost connection, a leader that moves, a coordinator that loads."""


class FencedError(TargetError):
    """The producer's epoch is no longer the current one: another has begun, or the transaction has taken too long."""


class TakenOverError(TargetError):
    """Another start of the same run has taken over."""


class RefusedError(KafkafmtError):
    """The target cannot take the records as they are: nothing was sent.

    Attributes:
        refusals: the reasons, a sentence each.
    """

    def __init__(self, refusals: Sequence[str]) -> None:
        self.refusals = tuple(refusals)
        super().__init__("nothing was sent: " + "; ".join(self.refusals))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle with the reasons."""
        return type(self), (self.refusals,)


_PASSES = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,  # a new topic, which not all brokers know yet
        ErrorCode.LEADER_NOT_AVAILABLE,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.REPLICA_NOT_AVAILABLE,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.NOT_CONTROLLER,
        ErrorCode.CONCURRENT_TRANSACTIONS,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.UNSTABLE_OFFSET_COMMIT,
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        ErrorCode.UNKNOWN_PRODUCER_ID,
        ErrorCode.INVALID_PRODUCER_ID_MAPPING,
        ErrorCode.THROTTLING_QUOTA_EXCEEDED,
        ErrorCode.OFFSET_NOT_AVAILABLE,
        ErrorCode.TRANSACTION_ABORTABLE,
        ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
    }
)
_FENCED = frozenset(
    {
        ErrorCode.PRODUCER_FENCED,
        ErrorCode.INVALID_PRODUCER_EPOCH,
        ErrorCode.TRANSACTION_COORDINATOR_FENCED,
        ErrorCode.FENCED_INSTANCE_ID,
    }
)


def check(code: int, what: str, message: str | None = None) -> None:
    """Raise the error of a broker's answer, if it has one.

    Args:
        code: the error code.
        what: the request, such as "orders-0: Produce".
        message: the broker's text.

    Raises:
        RetriableError: the fault may pass.
        FencedError: another producer has the transactional id, or the coordinator has aborted the transaction.
        TargetError: any other error.
    """
    if code == ErrorCode.NONE:
        return
    known = code in ErrorCode.__members__.values()
    name = ErrorCode(code).name if known else f"error {code}"
    text = f"{what}: {name}{f' ({message})' if message else ''}"
    if code in _FENCED:
        raise FencedError(text, code)
    raise (RetriableError if code in _PASSES else TargetError)(text, code)


@contextmanager
def understanding(what: str) -> Iterator[None]:
    """Read an answer that may lack requested parts.

    Args:
        what: the request, such as "orders: Metadata".

    Raises:
        TargetError: the answer lacks a requested part.
    """
    try:
        yield
    except KafkafmtError:
        raise
    except (LookupError, ValueError, TypeError) as error:
        raise TargetError(f"{what}: the broker's answer does not fit the request: {error!r}") from error
