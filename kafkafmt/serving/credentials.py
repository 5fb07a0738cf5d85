"""DescribeUserScramCredentials (version 0) and DescribeDelegationToken (1 to 3).

The answer about SCRAM credentials has users, mechanisms and iterations, never salts or keys. Delegation tokens are not
answered: their ids are secrets, and a broker refuses clients that have not authenticated.
"""

import asyncio
from collections import Counter, defaultdict

from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import Broker, Handlers, Request, refused

_MECHANISMS = {"SCRAM-SHA-256": 1, "SCRAM-SHA-512": 2}


async def describe_user_scram_credentials(broker: Broker, request: Request) -> Value:
    """Mechanisms and iterations of the users asked for, or of all users."""
    cluster = await asyncio.to_thread(lambda: broker.disks.cluster)
    known: dict[str, list[Value]] = defaultdict(list)
    for each in () if cluster is None else cluster.scram:
        number = _MECHANISMS.get(each.mechanism, 0)
        known[each.user].append({"Mechanism": number, "Iterations": each.iterations})
    asked = request.body["Users"]
    names = [each["Name"] for each in asked] if asked else sorted(known)
    return {"Results": [_described(name, count, known.get(name)) for name, count in Counter(names).items()]}


def _described(name: str, asked: int, credentials: list[Value] | None) -> Value:
    answer: Value = {"User": name, "CredentialInfos": []}
    if asked > 1:
        message = f"Cannot describe SCRAM credentials for the same user twice in a single request: {name}"
        return answer | refused(ErrorCode.DUPLICATE_RESOURCE, message)
    if credentials is None:
        message = f"Attempt to describe a user credential that does not exist: {name}"
        return answer | refused(ErrorCode.RESOURCE_NOT_FOUND, message)
    return answer | {"CredentialInfos": sorted(credentials, key=lambda each: each["Mechanism"])}


async def describe_delegation_token(_: Broker, request: Request) -> Value:
    """DELEGATION_TOKEN_REQUEST_NOT_ALLOWED; after SASL DELEGATION_TOKEN_AUTH_DISABLED, as without a secret key."""
    is_known = request.client.principal is not None
    error = ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED if is_known else ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    return {"ErrorCode": error}


HANDLERS: Handlers = {
    "DescribeUserScramCredentials": describe_user_scram_credentials,
    "DescribeDelegationToken": describe_delegation_token,
}
