import pytest

from tests.codec.compression.ways import WAYS, Decompress


@pytest.fixture(scope="session", params=list(WAYS))
def decompress(request: pytest.FixtureRequest) -> Decompress:
    """Run every decompression test with both implementations."""
    return WAYS[request.param]
