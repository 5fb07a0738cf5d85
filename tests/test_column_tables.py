"""The tables of columns in docs/ are those that the code declares, and each answer of `kafkafmt.topics` has them."""

from pathlib import Path

import pytest

import kafkafmt.topics
from kafkafmt.topics.answers import TableAnswer
from tests.column_tables import DOCUMENTS, documented, rewritten


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.stem)
def test_documents_have_the_columns_that_the_code_declares(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    assert text == rewritten(text), "write them: python -m tests.column_tables"


@pytest.mark.parametrize("answer", [kafkafmt.topics.Groups, kafkafmt.topics.Transactions])
def test_each_table_of_an_answer_is_documented(answer: type[TableAnswer]) -> None:
    tables = {tuple(column.name for column in table) for path in DOCUMENTS for table in documented(path.read_text())}
    assert {tuple(schema.names) for schema in answer.schemas().values()} <= tables
