"""The requests of the proof about groups, transactions, the cluster, its configs, quotas and ACLs."""

from collections.abc import Iterator, Sequence
from typing import Any

from kafkafmt.internal_topics import CLUSTER_METADATA, CONSUMER_OFFSETS, TRANSACTION_STATE
from serve_proof.asking import UNKNOWN_ID, Json, Server
from serve_proof.questions import MISSING, Content, Question, needs, same


def about_groups(content: Content) -> Iterator[Question]:
    """Requests about groups, their members and offsets."""
    groups = [*content.groups, "no-such-group", ""]
    for states in ([], ["Stable"], ["empty"], ["Dead", "Assigning"], ["Nonsense"]):
        for types in ([], ["classic"], ["Consumer"], ["share", "streams"], ["Nonsense"]):
            yield Question(
                "LIST_GROUPS",
                16,
                f"{states} {types}",
                same({"statesFilter": states, "typesFilter": types}),
                needs(4 * bool(states) + bool(types)),
            )
    if CONSUMER_OFFSETS in content.topics:  # otherwise the broker would create it
        yield from _about_members(content, groups)


def _about_members(content: Content, groups: Sequence[str]) -> Iterator[Question]:
    for operations in (False, True):
        body: Json = {"groups": groups, "includeAuthorizedOperations": operations}
        yield Question("DESCRIBE_GROUPS", 15, f"all, operations {operations}", same(body), needs(3 * operations))
        body = {"groupIds": groups, "includeAuthorizedOperations": operations}
        yield Question("CONSUMER_GROUP_DESCRIBE", 69, f"all, operations {operations}", same(body))
    ids = [*content.transactional_ids[:5], "no-such-id"] if TRANSACTION_STATE in content.topics else []
    for kind, keys in ((0, groups), (1, ids)):
        for key in keys:
            body = {"key": key, "keyType": kind, "coordinatorKeys": [key]}
            yield Question("FIND_COORDINATOR", 10, f"{kind} {key}", same(body), needs(kind))
    for group in groups:
        for stable in (False, True):
            yield _offset_fetch(group, None, stable=stable)
            yield _offset_fetch(group, content, stable=stable)
    for member, epoch in (("no-such-member", 1), ("", 0)):
        yield _offset_fetch(next(iter(groups)), content, stable=False, member=member, epoch=epoch)


def _offset_fetch(
    group: str, content: Content | None, *, stable: bool, member: str | None = None, epoch: int = -1
) -> Question:
    def make(server: Server) -> Json:
        topics = None
        if content is not None:
            topics = [
                {"name": name, "topicId": server.topic_ids.get(name, UNKNOWN_ID), "partitionIndexes": [*numbers, 99]}
                for name, numbers in [*content.topics.items(), (MISSING, [0])]
            ]
        one = {"groupId": group, "memberId": member, "memberEpoch": epoch, "topics": topics}
        return {**one, "groups": [one], "requireStable": stable}

    what = f"{group}, {'all' if content is None else 'by name'}, stable {stable}, member {member}"
    oldest = max(9 * (member is not None), 7 * stable, 2 * (content is None))
    return Question("OFFSET_FETCH", 9, what, make, needs(oldest))


def about_transactions(content: Content) -> Iterator[Question]:
    """Requests about transactional ids."""
    for states in ([], ["Ongoing"], ["CompleteCommit", "CompleteAbort"], ["Empty"], ["Nonsense"]):
        for duration in (-1, 0, 10**15):
            for pattern in (None, "", "t.*", "no.such", "(", "till-1|tx-1"):
                for producers in ([], list(content.producer_ids[:2])):
                    body = {
                        "stateFilters": states,
                        "producerIdFilters": producers,
                        "durationFilter": duration,
                        "transactionalIdPattern": pattern,
                    }
                    oldest = 2 if pattern is not None else int(duration >= 0)
                    yield Question("LIST_TRANSACTIONS", 66, str(list(body.values())), same(body), needs(oldest))
    if TRANSACTION_STATE in content.topics:
        ids = {"transactionalIds": [*content.transactional_ids, "no-such-id"]}
        yield Question("DESCRIBE_TRANSACTIONS", 65, "all", same(ids))


def about_the_cluster(content: Content) -> Iterator[Question]:
    """Requests about the node, the quorum, users, quotas, ACLs and configs."""
    body: Json
    for operations in (False, True):
        for kind in (1, 2, 3):
            for fenced in (False, True):
                body = {
                    "includeClusterAuthorizedOperations": operations,
                    "endpointType": kind,
                    "includeFencedBrokers": fenced,
                }
                oldest = 2 * fenced or int(kind != 1)
                yield Question("DESCRIBE_CLUSTER", 60, str(list(body.values())), same(body), needs(oldest))
    logs = [(CLUSTER_METADATA, 0)] if content.has_metadata_log else []
    for topic, number in (*logs, (CLUSTER_METADATA, 1), (next(iter(content.topics)), 0)):
        body = {"topics": [{"topicName": topic, "partitions": [{"partitionIndex": number}]}]}
        yield Question("DESCRIBE_QUORUM", 55, f"{topic} {number}", same(body))
    named = [{"name": name, "partitionIndexes": numbers} for name, numbers in content.topics.items()]
    for what, topics in (("all", None), ("named", named), ("unknown", [{"name": MISSING, "partitionIndexes": [0]}])):
        body = {"timeoutMs": 1000, "topics": topics}
        yield Question("LIST_PARTITION_REASSIGNMENTS", 46, what, same(body))
    for users in (None, [], *([{"name": user}] for user in content.users), [{"name": "alice"}] * 2):
        yield Question("DESCRIBE_USER_SCRAM_CREDENTIALS", 50, str(users), same({"users": users}))
    yield from _quotas(content)
    yield from _acls(content)
    yield from _configs(content)


def _quotas(content: Content) -> Iterator[Question]:
    kinds = ("user", "client-id", "ip")
    filters: list[list[tuple[str, int, str | None]]] = [[]]
    filters += [[(kind, match, None)] for kind in kinds for match in (1, 2)]
    filters += [[(kind, 0, name)] for kind in kinds for name in (*content.users, "app", "page-tracker", "10.1.2.3", "")]
    filters += [[("user", one, None), ("client-id", two, None)] for one in (1, 2) for two in (1, 2)]
    filters += [[("user", 0, "alice"), ("client-id", 0, "app")], [("user", 2, None)] * 2, [("nonsense", 2, None)]]
    filters += [[("user", 2, None), ("ip", 2, None)], [("user", 7, None)]]
    for strict in (False, True):
        for components in filters:
            asked = [{"entityType": kind, "matchType": match, "match": name} for kind, match, name in components]
            body = {"components": asked, "strict": strict}
            yield Question("DESCRIBE_CLIENT_QUOTAS", 48, f"{components} {strict}", same(body))


def _acls(content: Content) -> Iterator[Question]:
    anything = {
        "resourceTypeFilter": 1,
        "resourceNameFilter": None,
        "patternTypeFilter": 1,
        "principalFilter": None,
        "hostFilter": None,
        "operation": 1,
        "permissionType": 1,
    }
    names = [*list(content.topics)[:4], "orders-2020", "*", "kafka-cluster", MISSING]
    changes: list[dict[str, Any]] = [{}]
    changes += [{"resourceTypeFilter": kind} for kind in range(8)]
    changes += [
        {"resourceTypeFilter": 2, "resourceNameFilter": name, "patternTypeFilter": p}
        for name in names
        for p in (1, 2, 3, 4)
    ]
    changes += [{"principalFilter": f"User:{user}"} for user in content.users] + [
        {"hostFilter": "*"},
        {"hostFilter": "10.1.1.1"},
    ]
    changes += [{"operation": number} for number in range(15)] + [{"permissionType": number} for number in range(4)]
    changes += [{"patternTypeFilter": number} for number in range(6)]
    for change in changes:
        oldest = int(change.get("patternTypeFilter", 1) not in (1, 3))
        yield Question("DESCRIBE_ACLS", 29, str(change), same({**anything, **change}), needs(oldest))


def _configs(content: Content) -> Iterator[Question]:
    topic, node, logger, metrics, group = 2, 4, 8, 16, 32
    known = [(topic, name) for name in [*content.topics, MISSING, "not a name", ""]]
    known += [(node, name) for name in ("1", "", "2")]
    known += [(group, name) for name in [*content.groups[:6], "no-such-group", ""]]
    known += [(metrics, name) for name in ("subscription-1", "no-such-subscription", "")]
    some = ["retention.ms", "cleanup.policy", "segment.bytes", "log.cleaner.threads", "no.such.config"]
    for keys in (None, some, []):
        for synonyms in (False, True):
            for documentation in (False, True):
                for resources in (known, [(logger, "1")], [(node, "x")], [(0, "x"), known[0]]):
                    body = {
                        "resources": [
                            {"resourceType": kind, "resourceName": name, "configurationKeys": keys}
                            for kind, name in resources
                        ],
                        "includeSynonyms": synonyms,
                        "includeDocumentation": documentation,
                    }
                    what = f"{resources[0]}, {keys}, synonyms {synonyms}, documentation {documentation}"
                    yield Question("DESCRIBE_CONFIGS", 32, what, same(body), needs(3 * documentation))
    for wanted in ([], [2], [4, 8], [16], [32], [0]):
        yield Question(
            "LIST_CONFIG_RESOURCES", 74, str(wanted), same({"resourceTypes": wanted}), needs(int(bool(wanted)))
        )
