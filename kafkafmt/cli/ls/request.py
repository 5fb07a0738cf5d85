"""ListingRequest: the options of `kafkafmt ls`."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kafkafmt.cli.command import RowOptions

if TYPE_CHECKING:
    from kafkafmt.cli.options import Names
    from kafkafmt.limits import Limits
    from kafkafmt.survey.log_dirs import Order
    from kafkafmt.survey.rows import Level
    from kafkafmt.survey.segment_walk import Depth


@dataclass(frozen=True, slots=True)
class ListingRequest:
    """The options of the command; see its --help."""

    paths: tuple[str, ...]
    topics: "Names" = None
    partitions: tuple[int, ...] | None = None
    everything: bool = False
    order: "Order" = "name"
    depth: "Depth" = "headers"
    segments: bool = False
    level: "Level | None" = None
    metadata: tuple[str, ...] = ()
    limits: "Limits | None" = None
    report: str | None = None
    rows: RowOptions = field(default_factory=RowOptions)
