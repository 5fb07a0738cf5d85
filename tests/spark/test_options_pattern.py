"""subscribePattern: matches of Java's regular expressions in topic names."""

import pytest
from pyspark.sql import SparkSession, functions
from pyspark.sql.functions import col

from pyspark_kafkafmt.option_errors import OptionError
from pyspark_kafkafmt.options import SourceOptions
from pyspark_kafkafmt.topics import INTERNAL_TOPICS, TopicChoice

pytestmark = pytest.mark.volume

TOPICS = (
    "0",
    "A.b",
    "__consumer_offsets",
    "__share_group_state",
    "a-b",
    "a.b",
    "a[b",
    "ab",
    "aa01",
    "aab",
    "orders",
    "orders-2024",
    "pre-orders",
    "x_y",
)


FOUND: list[tuple[str, list[str]]] = [
    # Matches anywhere, as in Spark's source.
    ("orders", ["orders", "orders-2024", "pre-orders"]),
    (" orders ", ["orders", "orders-2024", "pre-orders"]),
    ("^orders$", ["orders"]),
    (r"\Aorders\z", ["orders"]),
    (r"^orders\Z", ["orders"]),
    ("^(orders|ab)$", ["ab", "orders"]),
    ("^(?:a){1,2}+b$", ["aab", "ab"]),
    (r"^(a)\1b$", ["aab"]),
    (r"^(?<twice>a)\k<twice>b$", ["aab"]),
    ("(?i)^a.b$", ["A.b", "a-b", "a.b", "a[b", "aab"]),
    ("^(?i:a)[.]b$", ["A.b", "a.b"]),
    ("^(?=a)(?!ab)(?>a+)(?<=a)b$", ["aab"]),
    (r"^a\Q.b\E$", ["a.b"]),
    (r"\Q[b", ["a[b"]),
    (r"(a)\1\Q01", ["aa01"]),
    (r"^a\[b$", ["a[b"]),
    (r"^[a\[b]+$", ["a[b", "aab", "ab"]),
    (r"^\d$", ["0"]),
    (r"^\p{Digit}$", ["0"]),
    (r"^\pN$", ["0"]),
    (r"^\p{Lu}", ["A.b"]),
    (r"^[\p{L}_]+$", ["aab", "ab", "orders", "x_y"]),
    (r"^\P{Alnum}", []),
    (r"^\w\p{Punct}\w$", ["A.b", "a-b", "a.b", "a[b", "x_y"]),
    (r"^\w[\p{P}]\w$", ["A.b", "a-b", "a.b", "a[b", "x_y"]),
    (r"^\x61\u0062$", ["ab"]),
    ("^[^a-z]+$", ["0"]),
    (".*", [topic for topic in TOPICS if not topic.startswith("__")]),
    ("^__", []),
]


def choice(pattern: str) -> TopicChoice:
    return SourceOptions.parse({"path": "/", "subscribePattern": pattern}).topics


@pytest.mark.parametrize(("pattern", "found"), FOUND)
def test_topics_are_found(pattern: str, found: list[str]) -> None:
    taken = choice(pattern)
    assert [topic for topic in sorted(TOPICS) if taken.takes(topic, 0)] == sorted(found)


@pytest.mark.xdist_group("spark")
def test_java_finds_the_same(spark: SparkSession) -> None:
    topics = spark.createDataFrame([(topic,) for topic in TOPICS if topic not in INTERNAL_TOPICS], "topic string")
    found = [
        functions.collect_list(functions.when(col("topic").rlike(pattern.strip()), col("topic")))
        for pattern, _ in FOUND
    ]
    (row,) = topics.select(found).collect()
    assert [sorted(names) for names in row] == [sorted(names) for _, names in FOUND]


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(", "it cannot be understood: "),
        ("a**", "it cannot be understood: multiple repeat"),
        ("a(?i)b", "it cannot be understood: global flags"),
        ("[a", "it has a character class that does not end"),
        ("a{99999999999}", "it cannot be understood: "),
        ("[a-z&&[^b]]", "it has a character class in another one, or &&"),
        ("[a&&b]", "it has a character class in another one, or &&"),
        ("[]a]", "it has a character class that begins with ]"),
        ("[^]a]", "it has a character class that begins with ]"),
        ("a{,3}", "it has a { that counts nothing"),
        ("{", "it has a { that counts nothing"),
        (r"\h", r"it has \h"),
        (r"a\G", r"it has \G"),
        (r"\N{DIGIT ONE}", r"it has \N"),
        ("a\\", "it has \\"),
        (r"\x6\Q1", r"it has \x without its digits"),
        (r"\u061", r"it has \u without its digits"),
        (r"[a-\pL]", r"it has \pL beside a dash"),
        (r"[\p{L}-]", r"it has \p{L} beside a dash"),
        (r"\061", r"it has \0"),
        (r"(a)\101", r"it has \10, a group's number and a digit"),
        (r"[\1]", r"it has \1 in a character class"),
        (r"[\b]", r"it has \b in a character class"),
        (r"\p{Greek}", r"it has \p{Greek}"),
        (r"[\P{L}]", r"it has \P{L}"),
        ("(?P<name>a)", "it has (?P<"),
        ("(?#note)a", "it has (?#n"),
        ("(a)(?(1)b|c)", "it has (?(1"),
        ("(?u)a", "it has (?u)"),
        ("(?a)b", "it has (?a)"),
    ],
)
def test_what_java_and_python_do_not_share_is_refused(pattern: str, problem: str) -> None:
    with pytest.raises(OptionError) as caught:
        choice(pattern)
    text = str(caught.value)
    assert text.startswith(f"option subscribePattern = '{pattern}': {problem}")
    assert "a Java regular expression of the common kind" in text
