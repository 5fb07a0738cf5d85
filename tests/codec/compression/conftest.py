import pytest

from tests.codec.compression.ways import WAYS, Decompress


@pytest.fixture(scope="session", params=list(WAYS))
def decompress(request: pytest.FixtureRequest) -> Decompress:
    """Every test of decompression runs on both ways to do it."""
    return WAYS[request.param]
