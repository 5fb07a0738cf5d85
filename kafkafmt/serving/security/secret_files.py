"""Files that hold a secret: the password of SASL, the private key of TLS."""

import os
import stat
from typing import IO, Final

from kafkafmt.errors import SourceError

_MOST_BYTES: Final = 4096


def open_secret(path: str) -> IO[bytes]:
    """Open a file that only its owner may read.

    The rule is that of ssh (`sshkey_perm_ok`): a file of this user that its group or others can read is refused. A file
    of another user, as containers mount them, is accepted: this user cannot change its mode.

    Raises:
        SourceError: the file cannot be read, or others can read it.
    """
    try:
        file = open(path, "rb")  # noqa: SIM115 - the caller closes it
    except OSError as error:
        raise SourceError(error.strerror or str(error), file=path) from error
    if os.name == "posix":
        found = os.fstat(file.fileno())
        if found.st_uid == os.getuid() and found.st_mode & 0o077:
            file.close()
            raise SourceError(
                "other users can read this secret: chmod 600 keeps it to its owner",
                file=path,
                found=f"mode {stat.S_IMODE(found.st_mode):04o}",
            )
    return file


def first_line(path: str) -> str:
    """Read a password: the first line of a file, without its line end.

    Raises:
        SourceError: the file cannot be read, others can read it, or its first line is not a password; the error does
            not show any of the content.
    """
    with open_secret(path) as file:
        line = file.readline(_MOST_BYTES + 1).rstrip(b"\r\n")
    if not line:
        raise SourceError("the first line is empty: it is the password", file=path)
    if len(line) > _MOST_BYTES:
        raise SourceError(
            "the first line is too long for a password", file=path, expected=f"at most {_MOST_BYTES} bytes"
        )
    try:
        password = line.decode()
    except UnicodeDecodeError:
        # The text of the original error would show the password.
        raise SourceError("the first line is not UTF-8: it is the password", file=path) from None
    if "\0" in password:
        raise SourceError("the first line has a zero byte, which no password can have", file=path)
    return password
