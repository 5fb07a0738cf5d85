"""Symbolic links in a source: those that are followed, and those that lead out of the source and are not."""

from typing import TYPE_CHECKING

from kafkafmt.files.damage import Note
from kafkafmt.files.names import parse_partition_name
from kafkafmt.logdir.log_dir import leads_to_logs
from kafkafmt.phrases import listed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkafmt.io.base import Location


def link_notes(places: "Iterable[Location]") -> tuple[Note, ...]:
    """Sentences on links: those to directories are followed, those to files out of the source are not.

    Args:
        places: of the source, searched already; files have none.
    """
    directories = [place for place in places if place.is_directory()]
    notes = []
    followed = _once(
        link for place in directories for link in place.links_followed(below=True) if _is_of_note(link, place)
    )
    if followed:
        named = listed([f"{link} ({link.identity})" for link in followed])
        text = f"links to directories are followed, as by Kafka: {named}"
        notes.append(Note(text, is_finding=False))
    links = [str(link) for link in _once(link for place in directories for link in place.links_out(below=True))]
    if links:
        text = f"links that lead out of the source are not followed, name them to read them: {listed(links)}"
        notes.append(Note(text, is_finding=False))
    return tuple(notes)


def _is_of_note(link: "Location", place: "Location") -> bool:
    """Whether a link to a directory is a partition, or leads to logs out of a source; the rest is found without it."""
    is_inside = f"{link.identity}/".startswith(f"{place.identity}/")
    return parse_partition_name(link.name).topic is not None if is_inside else leads_to_logs(link)


def _once(links: "Iterable[Location]") -> "list[Location]":
    """Links by their places, each once."""
    by_place: dict[tuple[str, str], Location] = {}
    for link in links:
        by_place.setdefault((link.parent.identity, link.name), link)
    return list(by_place.values())
