"""A real S3 API on loopback, by moto's server."""

import contextlib
import os
import socket
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow.fs as pafs
import pytest

KEY, SECRET = "AKIATESTING", "very/secret"


@dataclass
class Bucket:
    """A bucket of the server; `put` fills it."""

    port: int
    name: str
    filesystem: pafs.S3FileSystem

    @property
    def options(self) -> str:
        return f"endpoint_override=127.0.0.1:{self.port}&scheme=http&region=us-east-1"

    def uri(self, key: str = "") -> str:
        """URI of a key, with options and access keys."""
        return f"s3://{KEY}:{SECRET.replace('/', '%2F')}@{self.name}/{key}?{self.options}"

    def shown(self, key: str = "") -> str:
        """The same as names and errors show it."""
        return f"s3://{self.name}/{key}"

    def put(self, key: str, content: bytes) -> None:
        with self.filesystem.open_output_stream(f"{self.name}/{key}") as stream:
            stream.write(content)

    def upload(self, directory: Path, prefix: str) -> None:
        """Upload a directory, its empty files too."""
        for path in sorted(directory.rglob("*")):
            if path.is_file():
                self.put(f"{prefix}/{path.relative_to(directory)}", path.read_bytes())

    def delete(self, key: str) -> None:
        self.filesystem.delete_file(f"{self.name}/{key}")


@pytest.fixture(scope="session")
def s3_port() -> Iterator[int]:
    pytest.importorskip("moto.server", reason="pip install 'moto[server]' to test s3")
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith("AWS_"):
                patch.delenv(name)
        # No credential look-ups on the network.
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        patch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
        patch.setenv("AWS_CONFIG_FILE", os.devnull)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port: int = free.getsockname()[1]
        server = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _wait(port, server)
            yield port
        finally:
            server.terminate()
            server.wait()


@pytest.fixture
def bucket(s3_port: int, request: pytest.FixtureRequest) -> Bucket:
    """A new bucket."""
    filesystem = pafs.S3FileSystem(
        access_key=KEY,
        secret_key=SECRET,
        endpoint_override=f"127.0.0.1:{s3_port}",
        scheme="http",
        region="us-east-1",
        allow_bucket_creation=True,
    )
    name = f"bucket-{zlib.crc32(request.node.nodeid.encode()):08x}"
    filesystem.create_dir(name)
    return Bucket(s3_port, name, filesystem)


def _wait(port: int, server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    raise RuntimeError("moto's server did not start")
