"""The column tables in docs/ match the code's declarations, and every answer of `kafkafmt.topics` has these columns."""

from pathlib import Path

import pytest

from kafkafmt.loading import Loaded
from kafkafmt.operations import Compaction, ComparedCopies, Retention
from kafkafmt.repairing.answer import Repaired
from kafkafmt.sizing.disk_use import DiskUse
from kafkafmt.sizing.what_if import WhatIf
from kafkafmt.startup.verification import Verification
from kafkafmt.tiering import TieredSegments
from kafkafmt.topics import ClusterMetadata, Groups, Producers, Transactions
from kafkafmt.topics.answers import TableAnswer
from kafkafmt.values.registry import Schemas
from tests.column_tables import DOCUMENTS, documented, rewritten


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.stem)
def test_documents_have_the_columns_that_the_code_declares(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    assert text == rewritten(text), "write them: python -m tests.column_tables"


@pytest.mark.parametrize(
    "answer",
    [
        *(ClusterMetadata, Groups, Producers, Transactions),
        *(Compaction, ComparedCopies, Retention),
        *(DiskUse, Loaded, Repaired, Schemas, TieredSegments, Verification, WhatIf),
    ],
)
def test_each_table_of_an_answer_is_documented(answer: type[TableAnswer]) -> None:
    tables = {tuple(column.name for column in table) for path in DOCUMENTS for table in documented(path.read_text())}
    assert {tuple(schema.names) for schema in answer.schemas().values()} <= tables
