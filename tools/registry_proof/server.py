"""A server of Apicurio Registry with in-memory storage; it answers like Confluent's registry."""

import json
import subprocess
import tarfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

from kafka_broker.broker import free_ports
from proof_frame import ProofError
from proof_jars import registry_server

_OK, _NO_CONTENT = 200, 204
_SECONDS = 180
_CONFLUENT = "/apis/ccompat/v7"
_IMPORT = "/apis/registry/v3/admin/import"
_INFO = "/apis/registry/v3/system/info"
_OPTIONS = ("-Xmx512m", "-XX:TieredStopAtLevel=1", "-Dquarkus.http.host=127.0.0.1")


def unpack(home: Path) -> Path:
    """Unpack the server into a directory."""
    with tarfile.open(registry_server()[1]) as packed:
        packed.extractall(home, filter="data")
    return home


class Server:
    """A running registry, empty at first; a context manager.

    Attributes:
        url: URL of its Confluent-compatible API.
        version: its version.
    """

    def __init__(self, unpacked: Path, log: Path) -> None:
        """Prepare the server; it starts when the context is entered.

        Args:
            unpacked: directory of the unpacked server.
            log: file for its output.
        """
        (self._jar,) = (*unpacked.glob("quarkus-run.jar"), *unpacked.glob("*-runner.jar"))
        self._log = log
        self._base = f"http://127.0.0.1:{free_ports(1)[0]}"
        self.url = self._base + _CONFLUENT
        self.version = ""

    def __enter__(self) -> Self:
        port = self._base.rpartition(":")[2]
        command = [str(registry_server()[0]), *_OPTIONS, f"-Dquarkus.http.port={port}", "-jar", str(self._jar)]
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=self._log.parent)
        end = time.monotonic() + _SECONDS
        while not self._is_up():
            if self._process.poll() is not None or time.monotonic() > end:
                self.__exit__()
                raise ProofError(f"Apicurio Registry does not start: see {self._log} (--keep)")
            time.sleep(0.2)
        self.version = json.loads(self._send("GET", self._base + _INFO)[1])["version"]
        return self

    def _is_up(self) -> bool:
        try:
            return self._send("GET", self._base + _INFO)[0] == _OK
        except OSError:
            return False

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()

    def take(self, archive: Path) -> None:
        """Import an archive.

        Raises:
            ProofError: the registry refuses the archive, or imports only a part of it.
        """
        status, answer = self._send("POST", self._base + _IMPORT, archive.read_bytes(), "application/zip")
        if status != _NO_CONTENT or "Failed to import" in self._log.read_text("utf-8", "replace"):
            raise ProofError(f"Apicurio Registry does not import {archive.name}: {status} {answer!r}")

    def get(self, *path: str | int, query: str = "") -> Any:  # noqa: ANN401 - JSON
        """The JSON response to a GET request; None for an error."""
        status, answer = self._send("GET", self.url + "".join(f"/{quote(str(part), safe='')}" for part in path) + query)
        return json.loads(answer) if status == _OK else None

    def request(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """The status of a request, and the JSON of its response; None for an empty response."""
        data = None if body is None else json.dumps(body).encode()
        status, answer = self._send(method, self.url + path, data, "application/vnd.schemaregistry.v1+json")
        return status, json.loads(answer) if answer else None

    @staticmethod
    def _send(method: str, url: str, data: bytes | None = None, kind: str = "") -> tuple[int, bytes]:
        headers = {} if data is None else {"Content-Type": kind}
        request = urllib.request.Request(url, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()
