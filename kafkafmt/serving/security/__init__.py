"""Access control of a port: TLS, and one user by SASL."""

from dataclasses import dataclass
from os import PathLike, fspath
from ssl import SSLContext
from typing import Self

from kafkafmt.serving.security.sasl import Credentials
from kafkafmt.serving.security.secret_files import first_line
from kafkafmt.serving.security.tls import server_context


@dataclass(frozen=True, slots=True)
class Security:
    """The security of a port.

    Attributes:
        tls: TLS context with certificate and key; None for connections without TLS.
        credentials: the user that is let in; None for everybody.
    """

    tls: SSLContext | None = None
    credentials: Credentials | None = None

    @classmethod
    def read(
        cls,
        certificate: str | PathLike[str] | None,
        key: str | PathLike[str] | None,
        user: str | None,
        password_file: str | PathLike[str] | None,
    ) -> Self:
        """Read a certificate chain and private key in PEM, and a user's password from the first line of a file.

        Raises:
            SourceError: a file cannot be read or used.
            ValueError: one of two arguments that belong together is missing, or the user's name is empty or not
                printable.
        """
        if (certificate is None) != (key is None):
            raise ValueError("tls_cert and tls_key belong together")
        if (user is None) != (password_file is None):
            raise ValueError("sasl_user and sasl_password_file belong together")
        if user is not None and (not (user and user.isprintable())):
            raise ValueError("sasl_user is not the name of a user")
        return cls(
            None if certificate is None or key is None else server_context(fspath(certificate), fspath(key)),
            None if user is None or password_file is None else Credentials(user, first_line(fspath(password_file))),
        )

    @property
    def is_open(self) -> bool:
        """Whether everybody is let in, without TLS."""
        return self.tls is None and self.credentials is None

    @property
    def has_bare_passwords(self) -> bool:
        """Whether passwords are sent without TLS."""
        return self.tls is None and self.credentials is not None
