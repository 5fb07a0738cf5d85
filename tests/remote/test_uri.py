"""URIs: known schemes, their display names, and the errors for others."""

import pickle
import traceback
from pathlib import Path
from typing import Any

import pyarrow.fs as pafs
import pytest
from click.testing import CliRunner

import kafkafmt
from kafkafmt import SourceError
from kafkafmt.cli import main
from kafkafmt.io import remote, stores
from kafkafmt.io.source import locate
from kafkafmt.io.uri import shown
from kafkafmt.logdir import sources
from kafkafmt.logdir.checkpoints import Checkpoints
from tests.golden_cases import cases

ACCOUNT = "account.dfs.core.windows.net"


@pytest.mark.parametrize(
    ("uri", "name", "child"),
    [
        ("s3://bucket/a/t-0/?region=x", "s3://bucket/a/t-0", "s3://bucket/a/t-0/f"),
        ("S3://KEY:SE%2FCRET@bucket?region=x", "s3://bucket", "s3://bucket/f"),
        ("gs://bucket/a?scheme=http", "gs://bucket/a", "gs://bucket/a/f"),
        ("gs://anonymous@bucket/a", "gs://bucket/a", "gs://bucket/a/f"),
        ("gcs://bucket/a/?retry_limit_seconds=1", "gcs://bucket/a", "gcs://bucket/a/f"),
        (f"abfs://box@{ACCOUNT}/a", f"abfs://box@{ACCOUNT}/a", f"abfs://box@{ACCOUNT}/a/f"),
        (f"abfss://box:c2VjcmV0@{ACCOUNT}/a", f"abfss://box@{ACCOUNT}/a", f"abfss://box@{ACCOUNT}/a/f"),
        ("mock://x/a/b", "mock://a/b", "mock://a/b/f"),
    ],
)
def test_a_uri_is_shown_without_options_and_keys(uri: str, name: str, child: str) -> None:
    location = locate(uri)
    assert (str(location), location.absolute, repr(location)) == (name, name, f"RemoteLocation({name!r})")
    assert (str(location.child("f")), location.child("f").name) == (child, "f")
    assert str(location.child("f").parent) == name
    assert str(location.child("f").sibling("g")) == child[:-1] + "g"


def test_the_root_of_a_bucket_has_no_parent_above_it() -> None:
    root = locate("s3://bucket/?region=x")
    assert str(root.parent) == str(root) == "s3://bucket"
    top = locate("/", pafs._MockFileSystem())
    assert (str(top), str(top.parent), str(top.child("a")), str(top.child("a").parent)) == ("/", "/", "/a", "/")


def test_one_place_has_one_identity_however_it_is_spelt() -> None:
    same = {locate(uri).identity for uri in ("s3://b/k?region=x", "s3://b/k/?region=x", "s3://U:P@b/k?region=x")}
    assert len(same) == 1
    others = {locate(uri).identity for uri in ("s3://b/k?region=x", "gs://b/k", "s3://b/k?endpoint_override=h:1")}
    assert len(others) == 3


def test_partitions_of_two_stores_have_checkpoints_of_their_own() -> None:
    known: dict[str, Checkpoints] = {}
    for options in ("region=x", "region=x", "endpoint_override=h:1", "endpoint_override=h:2"):
        sources._beside(locate(f"s3://b/node/t-0?{options}"), known)
    sources._beside(locate("s3://b/node/t-1?region=x"), known)
    assert len(known) == 3


@pytest.mark.parametrize(
    ("uri", "name", "advice"),
    [
        ("https://host/x", "https://host/x", "s3, gs, abfs and hdfs"),
        ("nothing://host/x?a=b", "nothing://host/x", "s3, gs, abfs and hdfs"),
        ("s3://bucket/x?colour=red&region=x", "s3://bucket/x", "'colour'.*lists the options that may follow"),
        ("s3://?region=x", "s3://", "names no bucket.*s3://BUCKET/PATH"),
        ("s3:///x?region=x", "s3:///x", "bucket"),
        ("s3://AK:SE/CRET@bucket/x?region=x", "s3://bucket/x", "must be written as %2F"),
        ("s3://AK:SECRET@bucket/x?colour=red", "s3://bucket/x", "in S3 URI: 'colour'"),
        ("https://me:SECRET@host/x?a=b", "https://host/x", "in URI: https://host/x; "),
        ("s3://AK:SECRET@[/x?region=x", "s3://[/x", "cannot be opened"),
        ("s3://bucket/x#y", "s3://bucket/x#y", "%23"),
        ("s3://bucket/x\udce9?region=x", "s3://bucket/x\udce9", "cannot be opened"),
        ("abfs://box:SECRET@host.example/a?nothing=1", "abfs://box@host.example/a", "lists the options"),
    ],
)
def test_a_uri_that_cannot_be_opened_says_why_and_keeps_its_secrets(uri: str, name: str, advice: str) -> None:
    with pytest.raises(SourceError, match=advice) as error:
        kafkafmt.scan(uri)
    assert error.value.file == name
    assert "SECRET" not in str(error.value)
    assert "CRET" not in str(error.value)
    assert error.value.__cause__ is None


def test_hdfs_without_hadoop_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_java(_: str) -> Any:
        raise OSError("Unable to load libjvm\ndlopen(/usr/lib/jvm/libjvm.so) failed: no such file\ndlopen(...)")

    monkeypatch.setattr(stores, "_open_uri", without_java)
    with pytest.raises(SourceError) as error:
        kafkafmt.scan("hdfs://node:8020/kafka")
    assert str(error.value) == (
        "hdfs://node:8020/kafka: the URI cannot be opened: Unable to load libjvm; "
        "hdfs needs Java and Hadoop here: set JAVA_HOME, HADOOP_HOME and CLASSPATH"
    )


def test_hdfs_paths_begin_with_a_slash(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []

    def open_uri(uri: str) -> Any:
        given.append(uri)
        return pafs._MockFileSystem(), "/kafka/data"

    monkeypatch.setattr(stores, "_open_uri", open_uri)
    location = locate("hdfs://node:8020/kafka/data/?user=me&replication=1")
    assert given == ["hdfs://node:8020/kafka/data/?user=me&replication=1"]
    assert (str(location), str(location.child("t-0"))) == (
        "hdfs://node:8020/kafka/data",
        "hdfs://node:8020/kafka/data/t-0",
    )
    assert str(location.parent.parent.parent) == "hdfs://node:8020/"


def test_google_is_not_asked_for_a_quarter_of_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []

    def open_uri(uri: str) -> Any:
        given.append(uri)
        return pafs._MockFileSystem(), "b/k"

    monkeypatch.setattr(stores, "_open_uri", open_uri)
    for uri in ("gs://b/k", "gcs://b/k?scheme=http", "gs://b/k?retry_limit_seconds=5"):
        locate(uri)
    assert given == [
        "gs://b/k?retry_limit_seconds=30",
        "gcs://b/k?scheme=http&retry_limit_seconds=30",
        "gs://b/k?retry_limit_seconds=5",
    ]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("/a?b#c@d", "/a?b#c@d"),
        ("file:///a?b", "file:///a?b"),
        ("s3://A:B@bucket/k?x=y", "s3://bucket/k"),
        ("s3://A:B/C@bucket/k?x=y", "s3://bucket/k"),
        ("gs://anonymous@b/a@b", "gs://b/a@b"),
        ("hdfs://user@h:8020/a@b", "hdfs://h:8020/a@b"),
    ],
)
def test_what_is_shown_of_a_source(source: str, name: str) -> None:
    assert shown(source) == name


MALFORMED = [
    "s3:/AKIAKEY:SECRET@bucket/x",
    "s3:AKIAKEY:SECRET@bucket",
    "S3:/AKIAKEY:SECRET@bucket",
    "s3//AKIAKEY:SECRET@bucket",
    "s3;//AKIAKEY:SECRET@bucket",
    "s3 ://AKIAKEY:SECRET@bucket",
    "s3 : //AKIAKEY:SECRET@bucket",
    "s3:://AKIAKEY:SECRET@bucket",
    "s3:\\\\AKIAKEY:SECRET@bucket",
    "s3%3A//AKIAKEY:SECRET@bucket",
    "s3%3a%2f%2fAKIAKEY%3aSECRET%40bucket",
    "s3%253A//AKIAKEY:SECRET@bucket",
    " s3://AKIAKEY:SECRET@bucket",
    "'s3://AKIAKEY:SECRET@bucket'",
    "s3://AKIAKEY:SECRET",
    "s3://AKIAKEY:SECRET/bucket/x",
    "s3://AKIAKEY:SECRET%40bucket/x",
    "s3:///AKIAKEY:SECRET@bucket/x",
    "s3://bucket/x&secret_key=SECRET",
    "s3://bucket/x%3Fregion=x;access_key=AKIAKEY",
    "minio:/AKIAKEY:SECRET@bucket/x",
    "AKIAKEY:SECRET@bucket",
    "hdfs://me:SECRET%40host/x",
]


@pytest.mark.parametrize("source", MALFORMED)
def test_a_malformed_uri_shows_no_secret_anywhere(source: str) -> None:
    for given in (source, [source, source]):
        with pytest.raises(SourceError) as error:
            kafkafmt.scan(given)
        raised = error.value
        copied = pickle.loads(pickle.dumps(raised))
        texts = [str(raised), repr(raised), str(copied), *traceback.format_exception(raised), shown(source)]
        # Lines of this test are in the traceback, but not what it was called with.
        assert not any(secret in text for secret in ("SECRET", "AKIAKEY") for text in texts)
    runner = CliRunner()
    golden = str(cases("modern")[0].log_dir)
    for arguments in (["cat", source], ["ls", source], [source], ["cat", golden, "-o", "csv", "--out", source]):
        done = runner.invoke(main.kafkafmt, arguments, standalone_mode=False)
        said = f"{done.output}{done.exception}"
        assert done.exception is not None
        assert not any(secret in said for secret in ("SECRET", "AKIAKEY"))


def test_a_file_of_this_machine_may_be_called_like_a_uri(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s3:a").mkdir()
    Path("10:30@home").mkdir()
    for name in ("s3:a", "10:30@home"):
        assert (shown(name), locate(name).is_directory()) == (name, True)


def test_no_error_of_a_file_system_shows_access_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "FROM/ENVIRONMENT")
    quoted = ["http://me:PASSWORD@proxy:80/", "FROM/ENVIRONMENT", "FROM%2FENVIRONMENT", "SEC+RET", "ENDPOINTLOGIN"]

    def refuse(*_: object) -> Any:
        raise OSError(f"AWS Error: {' '.join(quoted)} refused")

    monkeypatch.setattr(remote.RemoteLocation, "_info", refuse)
    uri = "s3://AKIAKEY:SEC%2BRET@bucket/x?region=x&endpoint_override=ENDPOINTLOGIN@host"
    with pytest.raises(SourceError, match="refused") as error:
        kafkafmt.scan(uri)
    text = "".join(traceback.format_exception(error.value))
    assert not any(secret in text for secret in ("PASSWORD", "FROM/ENV", "FROM%2FENV", "SEC+RET", "ENDPOINTLOGIN"))


@pytest.mark.parametrize("below", ["", "data"])
def test_a_uri_with_a_file_system_of_this_machine_is_refused_without_its_secrets(below: str) -> None:
    local: pafs.FileSystem = pafs.LocalFileSystem()
    filesystem = pafs.SubTreeFileSystem(below, local) if below else local
    with pytest.raises(SourceError, match="leave out the scheme") as error:
        kafkafmt.scan("s3://AKIASECRET:SECRET@bucket/a?region=x", filesystem=filesystem)
    assert error.value.file == "s3://bucket/a"
    assert "SECRET" not in str(error.value)
