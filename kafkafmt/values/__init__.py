"""Keys and values: schemas, framings, and typed values.

>>> import kafkafmt.values
>>> schemas = kafkafmt.values.schemas("/var/lib/kafka/data")
>>> schemas.to_table("subjects").to_pandas()
"""

from kafkafmt.values.framing import Framing, framing_of
from kafkafmt.values.registry import Schemas
from kafkafmt.values.schema_export import Export, write_schemas
from kafkafmt.values.schema_sources import schemas
from kafkafmt.values.stored_schema import Reference, StoredSchema

__all__ = ["Export", "Framing", "Reference", "Schemas", "StoredSchema", "framing_of", "schemas", "write_schemas"]
