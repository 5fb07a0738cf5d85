"""The bad files: content, reason and required result of each, derived from the format and from Kafka's code."""

from tests.bad_data.bad_batches import bad_entries, bad_formats
from tests.bad_data.bad_compression import bad_codecs
from tests.bad_data.bad_contents import bad_records, bad_wrappers
from tests.bad_data.bad_side_files import bad_side_files

LOGS = [*bad_entries(), *bad_formats(), *bad_wrappers(), *bad_records(), *bad_codecs()]
SMALL = bad_side_files()
