"""`kafkafmt warm-up`: all kernels for sound data are loaded, and compilation is reported on a terminal."""

import io

import pytest

from kafkafmt.columnar import kernels, object_code
from kafkafmt.columnar.object_code import Kernel
from tests.cli.conftest import Call


@pytest.mark.slow
def test_kernels_are_ready_for_all_that_sound_data_need(kafkafmt: Call) -> None:
    answer = kafkafmt("warm-up")
    assert (answer.status, answer.stderr) == (0, "")
    cold = {name for name, each in vars(kernels).items() if isinstance(each, Kernel) and not each.is_loaded}
    # For damaged batches, and for groups that do not fit in memory.
    assert cold <= {"record_at", "keep_some"}
    assert " kernels are ready; " in answer.text


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "said"), [(_Terminal(), 1), (io.StringIO(), 0)])
def test_compiling_is_said_once_and_on_a_terminal_alone(
    stream: io.StringIO, said: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr", stream)
    object_code._say_compiling.cache_clear()
    for _ in range(2):
        object_code._say_compiling()
    assert stream.getvalue() == "kafkafmt: compiling kernels, once on this machine\n" * said
