"""tools/proof: its command line, and its preparations before a proof runs."""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

import environment
import java
import proof_jars
import proofs
from class_path import KAFKA, TOOLS, ToolError
from proofs import PROOFS

POM_VERSION = re.compile(r"<artifactId>([^<*]*)</artifactId>\s*<version>([\d.]+)</version>")


def help_of(name: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit):
        proofs.main([name, "--help"])
    return " ".join(capsys.readouterr().out.split())


def test_the_help_lists_the_proofs(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        proofs.main(["--help"])
    text = capsys.readouterr().out
    for name, proof in PROOFS.items():
        assert f"  {name:15} {proof.description.splitlines()[0]}\n" in text


@pytest.mark.parametrize("name", ["cluster", "spark"])
def test_the_help_names_the_broker_that_is_used(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    version = dict(POM_VERSION.findall((KAFKA / "pom.xml").read_text()))["kafka_2.13"]
    assert f"Kafka broker of one node ({version}, KRaft" in help_of(name, capsys)


def test_the_help_names_the_versions_of_spark_and_its_jars(capsys: pytest.CaptureFixture[str]) -> None:
    text = help_of("spark", capsys)
    connector = (TOOLS / "spark_proof" / "connector" / "pom.xml").read_text()
    (spark,) = re.findall(r"<spark.version>(.*)</spark.version>", connector)
    assert f"pyspark {spark} with org.apache.spark:{proof_jars.CONNECTOR}:{spark}" in text
    for name, version in POM_VERSION.findall(connector):
        assert f"{name}:{version}" in text or name in {"spark_proof_connector", "maven-dependency-plugin"}
    assert f"\npyspark=={spark} " in (environment.ROOT / "requirements" / "spark_proof.txt").read_text()
    assert f'"pyspark=={spark}"' in (TOOLS / "lock").read_text()


def test_the_help_names_the_sinks(capsys: pytest.CaptureFixture[str]) -> None:
    text = help_of("sinks", capsys)
    sinks = dict(POM_VERSION.findall((TOOLS / "spark_sinks" / "pom.xml").read_text()))
    assert all(f"{name}:{sinks[name]}" in text for name in ("delta-spark_2.13", "iceberg-spark-runtime-4.0_2.13"))


def test_the_help_names_the_registries(capsys: pytest.CaptureFixture[str]) -> None:
    oldest, newest = proof_jars.REGISTRIES.values()
    assert f"Apicurio Registry ({newest} on Java {max(proof_jars.REGISTRIES)} or later, else {oldest};" in help_of(
        "registry", capsys
    )


@pytest.mark.parametrize(("version", "expected"), [(17, "3.0.9"), (20, "3.0.9"), (21, "3.3.3"), (25, "3.3.3")])
def test_the_registry_is_the_newest_that_java_runs(
    version: int, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(java, "find", lambda _: (java.Java(Path("/java"), version), []))
    monkeypatch.setattr(proof_jars, "fetched_artifact", lambda _, coordinates: Path(coordinates))
    runner, packed = proof_jars.registry_server()
    assert (runner, packed) == (
        Path("/java/bin/java"),
        Path(f"io.apicurio:apicurio-registry-app:{expected}:tar.gz:all"),
    )


def test_there_is_no_java_for_the_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "find", lambda _: (None, ["/old is Java 8"]))
    with pytest.raises(ToolError, match="/old is Java 8"):
        proof_jars.registry_server()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cluster", ("test", ".venv")),
        ("startup", ("test", ".venv")),
        ("spark", ("spark_proof", "build/spark_proof/venv")),
        ("sinks", ("spark_proof", "build/spark_proof/venv")),
    ],
)
def test_a_proof_takes_over_in_its_environment(
    name: str, expected: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    executed: list[list[str]] = []
    prepared: list[object] = []

    def prepare(requirements: str, *, directory: str) -> environment.Environment:
        prepared.append((requirements, directory))
        return environment.Environment(Path("/venv/bin/python"), {})

    monkeypatch.setattr(proofs, "tool", lambda _: "/usr/bin/java")
    monkeypatch.setitem(PROOFS, name, replace(PROOFS[name], fetch=list))
    monkeypatch.setattr(environment, "prepare", prepare)
    monkeypatch.setattr(os, "execve", lambda _, command, __: executed.append(command))
    proofs.main([name])
    assert prepared == [expected]
    assert executed == [["/venv/bin/python", "-m", PROOFS[name].module, name]]


@pytest.mark.parametrize("error", [ToolError("no mvn"), environment.SetupError("no pip")])
def test_a_tool_that_is_missing(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(proofs, "tool", fail)
    assert proofs.main(["sinks"]) == 2
    assert capsys.readouterr().err == f"tools/proof: {error}\n"


def test_keep_wants_a_new_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        proofs.parse(["spark", "--keep", str(tmp_path)])
    assert "exists already" in capsys.readouterr().err
