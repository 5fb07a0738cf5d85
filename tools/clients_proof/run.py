"""The proof "clients": many Kafka clients must read from `kafkafmt serve` exactly what is on the disks."""

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import proof_frame
from clients_proof import commands, damage, disks, matrix, screens, secured, strangers, table, transfer
from clients_proof.clients import CLIENTS, MissingError
from clients_proof.commands import Answer
from clients_proof.disks import Disk
from clients_proof.matrix import Row
from clients_proof.served import Served
from proof_frame import DIFFERS, ProofError


def main(arguments: list[str]) -> int:
    """Run the proof; returns the exit status."""
    return proof_frame.run(arguments, _prove)


def _prove(options: argparse.Namespace, home: Path) -> int:
    shop = disks.shop()
    others: dict[str, Callable[[Path], Iterable[Answer]]] = {
        "commands": lambda scratch: _commands(shop, scratch),
        "strangers": lambda scratch: _strangers(shop, scratch),
        "kaskade": lambda scratch: _screens(shop, scratch, may_skip=not options.client),
        "secured": lambda scratch: secured.ask(shop, scratch, may_skip=not options.client),
        "damage": lambda scratch: damage.ask(shop, scratch),
        "connect": lambda scratch: [transfer.connect(shop, scratch)],
        "mirror": lambda scratch: [transfer.mirror(shop, scratch)],
    }
    names = [client.name for client in CLIENTS]
    chosen = set(options.client or (*names, *others))
    if unknown := chosen.difference(names, others):
        raise ProofError(f"no client is called {', '.join(sorted(unknown))}; there are: {', '.join((*names, *others))}")
    if options.write and (options.client or options.quick):
        raise ProofError("--write needs all clients and all disks")
    rows = list(_rows(chosen, shop, home, is_quick=options.quick, may_skip=not options.client))
    answers: list[Answer] = []
    for name, run in others.items():
        if name in chosen:
            for answer in run(_scratch(home, name)):
                answers.append(answer)
                _report(f"{answer.label} {answer.asked}", answer.differences)
    differences = [text for row in rows for found in row.differences.values() for text in found]
    differences += [text for answer in answers for text in answer.differences]
    if options.write and not differences:
        if len(rows) < len(CLIENTS):
            raise ProofError("nothing was written: install what was skipped")
        table.write(rows, answers)
    return DIFFERS if differences else 0


def _rows(chosen: set[str], shop: Disk, home: Path, *, is_quick: bool, may_skip: bool) -> Iterator[Row]:
    clients = [client for client in CLIENTS if client.name in chosen]
    with _served(disks.disks(few=is_quick) if clients else [], home) as served:
        for client in clients:
            try:
                row = matrix.ask(client, shop, served, _scratch(home, client.name))
            except MissingError as error:
                if not may_skip:
                    raise
                print(f"skipped: {client.name}: {error}", flush=True)
                continue
            counts = f"{row.counts['read_uncommitted']:,} records, {row.seconds:.0f} s"
            _report(f"{row.label}: {counts}", [text for found in row.differences.values() for text in found])
            yield row


@contextlib.contextmanager
def _served(golden: Sequence[Disk], home: Path) -> Iterator[dict[Disk, Served]]:
    """Serve all disks at once."""
    served = {disk: Served(disk.paths, home / f"{disk.name}.err", *disk.options) for disk in golden}
    try:
        for server in served.values():
            server.launch()
        for server in served.values():
            server.wait()
        yield served
    finally:
        for server in served.values():
            server.stop()
    slowest = max((server.seconds_to_stop for server in served.values()), default=0)
    print(f"kafkafmt serve ends within {slowest:.1f} s of SIGTERM")


def _commands(shop: Disk, home: Path) -> Iterator[Answer]:
    with Served(shop.paths, home / "serve.err") as server:
        yield from commands.ask(shop, server.bootstrap_servers)


def _strangers(shop: Disk, home: Path) -> Iterator[Answer]:
    with Served(shop.paths, home / "serve.err") as server:
        yield from strangers.ask(server)


def _screens(shop: Disk, home: Path, *, may_skip: bool) -> Iterator[Answer]:
    with Served(shop.paths, home / "serve.err") as server:
        try:
            yield from screens.ask(server.bootstrap_servers)
        except MissingError as error:
            if not may_skip:
                raise
            print(f"skipped: {error}", flush=True)


def _scratch(home: Path, name: str) -> Path:
    path = home / name
    path.mkdir()
    return path


def _report(what: str, differences: Sequence[str]) -> None:
    print(f"{what}: {'differs' if differences else 'the same'}", *(f"  {text}" for text in differences), sep="\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
