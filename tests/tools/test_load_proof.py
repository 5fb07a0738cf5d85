"""The load proof finds the commands of docs/load.md that hand over to Kafka Connect."""

from load_proof.hand_over import _commands


def test_the_page_has_the_commands_that_are_run() -> None:
    create, by_connect, resume, by_groups = _commands()
    assert '"initial_state": "STOPPED"' in create
    assert "--show connect > offsets.json\ncurl" in by_connect
    assert by_connect.endswith("-d @offsets.json\n")
    assert resume.startswith("curl -fsS -X PUT")
    assert by_groups.endswith("--from-file offsets.csv --execute\n")
