"""`kafkafmt dump`: any file of a log directory as text, in the words of Kafka's DumpLogSegments 4.3.1.

One module for each kind of file; `arguments` is the command line, `dispatch` chooses the module by a file's name.
"""

from kafkafmt.cli.dump.arguments import command

__all__ = ["command"]
