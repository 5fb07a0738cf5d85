"""What Kafka's RoundRobinAssignor gives: all partitions dealt out like cards, to those who subscribe to the topic."""

from bisect import bisect_left

from kafkafmt.topics.assignment.group import Assignment, Group


def assign_round_robin(group: Group) -> Assignment:
    """Assign as RoundRobinAssignor of Kafka's clients does."""
    assignment: Assignment = {member_id: [] for member_id in group.members}
    order = group.in_static_order
    places: dict[str, list[int]] = {topic: [] for topic in group.counts}
    for place, member_id in enumerate(order):
        for topic in dict.fromkeys(group.members[member_id].topics):
            if topic in places:
                places[topic].append(place)
    turn = 0
    for topic, partition in group.partitions:
        subscribers = places[topic]
        place = subscribers[bisect_left(subscribers, turn) % len(subscribers)]  # the next one, or again the first
        assignment[order[place]].append((topic, partition))
        turn = place + 1
    return assignment
