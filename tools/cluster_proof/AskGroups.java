import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListStreamsGroupOffsetsSpec;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.ShareGroupDescription;
import org.apache.kafka.clients.admin.ShareMemberDescription;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.clients.admin.StreamsGroupDescription;
import org.apache.kafka.clients.admin.StreamsGroupMemberAssignment.TaskIds;
import org.apache.kafka.clients.admin.StreamsGroupMemberDescription;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;

/** Admin's answers about groups of every type. */
final class AskGroups {
    private final Admin admin;
    private final TopicDescription offsetsTopic;

    AskGroups(Admin admin, Map<String, TopicDescription> topics) {
        this.admin = admin;
        offsetsTopic = topics.get("__consumer_offsets");
    }

    Object groups() throws Exception {
        List<GroupListing> listed = new ArrayList<>(admin.listGroups().all().get());
        listed.sort(Comparator.comparing(GroupListing::groupId));
        List<Object> answers = new ArrayList<>();
        for (GroupListing group : listed) {
            GroupType type = group.type().orElseThrow();
            Map<String, Object> answer =
                    switch (type) {
                        case SHARE -> share(group.groupId());
                        case STREAMS -> streams(group.groupId());
                        default -> consumer(group.groupId());
                    };
            answer.put("coordinatorPartition", AskCluster.coordinatorPartition(group.groupId(), offsetsTopic));
            answers.add(answer);
        }
        return answers;
    }

    private Map<String, Object> consumer(String id) throws Exception {
        ConsumerGroupDescription group =
                admin.describeConsumerGroups(List.of(id)).all().get().get(id);
        Map<TopicPartition, OffsetAndMetadata> offsets = admin.listConsumerGroupOffsets(
                        Map.of(id, new ListConsumerGroupOffsetsSpec()))
                .partitionsToOffsetAndMetadata(id)
                .get();
        List<Object> members = new ArrayList<>();
        for (MemberDescription member : group.members()) {
            members.add(AskCluster.map(
                    "memberId",
                    member.consumerId(),
                    "clientId",
                    member.clientId(),
                    "host",
                    member.host(),
                    "groupInstanceId",
                    AskCluster.orNull(member.groupInstanceId()),
                    "rackId",
                    AskCluster.orNull(member.rackId()),
                    "memberEpoch",
                    AskCluster.orNull(member.memberEpoch()),
                    "assignment",
                    AskCluster.names(member.assignment().topicPartitions()),
                    "targetAssignment",
                    member.targetAssignment()
                            .map(assignment -> AskCluster.names(assignment.topicPartitions()))
                            .orElse(null)));
        }
        return AskCluster.map(
                "groupId",
                id,
                "type",
                group.type().toString(),
                "state",
                group.groupState().toString(),
                "partitionAssignor",
                group.partitionAssignor(),
                "isSimpleConsumerGroup",
                group.isSimpleConsumerGroup(),
                "groupEpoch",
                AskCluster.orNull(group.groupEpoch()),
                "targetAssignmentEpoch",
                AskCluster.orNull(group.targetAssignmentEpoch()),
                "members",
                members,
                "offsets",
                offsets(offsets));
    }

    private Map<String, Object> share(String id) throws Exception {
        ShareGroupDescription group =
                admin.describeShareGroups(List.of(id)).all().get().get(id);
        Map<TopicPartition, SharePartitionOffsetInfo> offsets = admin.listShareGroupOffsets(
                        Map.of(id, new ListShareGroupOffsetsSpec()))
                .partitionsToOffsetInfo(id)
                .get();
        List<Object> members = new ArrayList<>();
        for (ShareMemberDescription member : group.members()) {
            members.add(AskCluster.map(
                    "memberId",
                    member.consumerId(),
                    "clientId",
                    member.clientId(),
                    "host",
                    member.host(),
                    "rackId",
                    AskCluster.orNull(member.rackId()),
                    "memberEpoch",
                    member.memberEpoch(),
                    "assignment",
                    AskCluster.names(member.assignment().topicPartitions())));
        }
        List<Object> starts = new ArrayList<>();
        offsets.forEach((partition, start) -> {
            if (start != null) {
                starts.add(AskCluster.map(
                        "topic",
                        partition.topic(),
                        "partition",
                        partition.partition(),
                        "startOffset",
                        start.startOffset(),
                        "leaderEpoch",
                        AskCluster.orNull(start.leaderEpoch()),
                        "lag",
                        AskCluster.orNull(start.lag())));
            }
        });
        return AskCluster.map(
                "groupId",
                id,
                "type",
                "Share",
                "state",
                group.groupState().toString(),
                "groupEpoch",
                group.groupEpoch(),
                "targetAssignmentEpoch",
                group.targetAssignmentEpoch(),
                "members",
                members,
                "shareOffsets",
                starts);
    }

    private Map<String, Object> streams(String id) throws Exception {
        StreamsGroupDescription group =
                admin.describeStreamsGroups(List.of(id)).all().get().get(id);
        Map<TopicPartition, OffsetAndMetadata> offsets = admin.listStreamsGroupOffsets(
                        Map.of(id, new ListStreamsGroupOffsetsSpec()))
                .partitionsToOffsetAndMetadata(id)
                .get();
        List<Object> members = new ArrayList<>();
        for (StreamsGroupMemberDescription member : group.members()) {
            members.add(AskCluster.map(
                    "memberId",
                    member.memberId(),
                    "clientId",
                    member.clientId(),
                    "host",
                    member.clientHost(),
                    "groupInstanceId",
                    AskCluster.orNull(member.instanceId()),
                    "rackId",
                    AskCluster.orNull(member.rackId()),
                    "memberEpoch",
                    member.memberEpoch(),
                    "processId",
                    member.processId(),
                    "activeTasks",
                    tasks(member.assignment().activeTasks()),
                    "targetActiveTasks",
                    tasks(member.targetAssignment().activeTasks())));
        }
        return AskCluster.map(
                "groupId",
                id,
                "type",
                "Streams",
                "state",
                group.groupState().toString(),
                "groupEpoch",
                group.groupEpoch(),
                "targetAssignmentEpoch",
                group.targetAssignmentEpoch(),
                "topologyEpoch",
                group.topologyEpoch(),
                "members",
                members,
                "offsets",
                offsets(offsets));
    }

    private static Object tasks(Collection<TaskIds> tasks) {
        return tasks.stream()
                .flatMap(task -> task.partitions().stream().map(partition -> task.subtopologyId() + "_" + partition))
                .sorted()
                .toList();
    }

    private static Object offsets(Map<TopicPartition, OffsetAndMetadata> offsets) {
        List<Object> answers = new ArrayList<>();
        offsets.forEach((partition, offset) -> {
            if (offset != null) {
                answers.add(AskCluster.map(
                        "topic",
                        partition.topic(),
                        "partition",
                        partition.partition(),
                        "offset",
                        offset.offset(),
                        "leaderEpoch",
                        AskCluster.orNull(offset.leaderEpoch()),
                        "metadata",
                        offset.metadata()));
            }
        });
        return answers;
    }
}
