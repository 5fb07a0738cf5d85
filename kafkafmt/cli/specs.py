"""`kafkafmt specs [NAME]`: the Kaitai Struct specs of all formats."""

import click

from kafkafmt.cli.command import CLEAN, Command, RowOptions, columns_option, target_options
from kafkafmt.cli.messages import say
from kafkafmt.cli.output import TableShape
from kafkafmt.phrases import counted


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt specs
  kafkafmt specs kafka_record_batch                          # print it
  kafkafmt specs kafka_log_segment --out specs               # with all that it imports
  kafkafmt specs --out formats                               # all, for the Web IDE or kaitai-struct-compiler
""",
)
@click.argument("name", required=False)
@columns_option
@target_options(required=False)
def command(name: str | None, target: str | None, rows: RowOptions) -> int:
    """List the Kaitai Struct specs (.ksy) of Kafka's formats, print one, or write them to a directory.

    kaitai-struct-compiler makes parsers from them for a dozen languages; https://ide.kaitai.io shows files with them.
    """
    from kafkafmt.specs import find, specs, write_specs

    if target is not None:
        count = write_specs(target, name)
        say(f"note: {target} is written: {counted(count, 'spec')}")
    elif name is not None:
        click.echo(find(name).text, nl=False)
    else:
        import pyarrow as pa

        columns = {
            "name": [*specs()],
            "title": [each.title for each in specs().values()],
            "imports": [[*each.imports] for each in specs().values()],
        }
        table = pa.table(
            columns, pa.schema([("name", pa.string()), ("title", pa.string()), ("imports", pa.list_(pa.string()))])
        )
        rows.check(table.schema.names)
        rows.write(table.to_batches(), table.schema, TableShape(("name", "title")), ())
    return CLEAN
