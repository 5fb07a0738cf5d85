"""The address of a broker as text: "host:port", as in Kafka's bootstrap.servers."""


def host_and_port(text: str, argument: str, lowest_port: int = 0) -> tuple[str, int]:
    """Read "host:port" or "[address]:port".

    Args:
        text: the address.
        argument: name of the argument that gives it, for the error.
        lowest_port: lowest valid port; 0, the default, stands for any free one.

    Raises:
        ValueError: the text has another form.
    """
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isdecimal() or not lowest_port <= int(port) <= 0xFFFF:
        raise ValueError(f"{argument} must be HOST:PORT, not {text!r}")
    return host, int(port)
