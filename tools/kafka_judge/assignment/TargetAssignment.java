import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.RangeAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;

/** Lets the assignors of Kafka's coordinator continue from the members' current target assignment. */
final class TargetAssignment implements SubscribedTopicDescriber {
    private final Map<String, Subscription> subscriptions;
    private final Map<Uuid, Integer> counts = new HashMap<>();
    private final Map<Uuid, String> names = new HashMap<>();

    TargetAssignment(Cluster cluster, Map<String, Subscription> subscriptions) {
        this.subscriptions = subscriptions;
        for (String topic : cluster.topics()) {
            counts.put(id(topic), cluster.partitionCountForTopic(topic));
            names.put(id(topic), topic);
        }
    }

    Map<String, List<TopicPartition>> by(String name) {
        ConsumerGroupPartitionAssignor assignor = name.equals("range") ? new RangeAssignor() : new UniformAssignor();
        Map<String, MemberSubscriptionAndAssignmentImpl> members = new HashMap<>();
        Map<Uuid, Map<Integer, String>> owners = new HashMap<>();
        Set<Set<String>> kinds = new HashSet<>();
        subscriptions.forEach((member, subscription) -> {
            kinds.add(new HashSet<>(subscription.topics()));
            // As in the coordinator, which keeps the names in such a set and iterates over their ids in its order.
            Set<Uuid> topics = new LinkedHashSet<>();
            Set<String> subscribed = new HashSet<>(subscription.topics());
            subscribed.stream().map(TargetAssignment::id).filter(counts::containsKey).forEach(topics::add);
            Map<Uuid, List<Integer>> listed = new LinkedHashMap<>();
            for (TopicPartition owned : subscription.ownedPartitions()) {
                Uuid topic = id(owned.topic());
                listed.computeIfAbsent(topic, id -> new ArrayList<>()).add(owned.partition());
                owners.computeIfAbsent(topic, id -> new HashMap<>()).put(owned.partition(), member);
            }
            Map<Uuid, Set<Integer>> partitions = new HashMap<>();
            listed.forEach((topic, numbers) -> partitions.put(topic, new HashSet<>(numbers)));
            members.put(member, new MemberSubscriptionAndAssignmentImpl(
                Optional.empty(), subscription.groupInstanceId(), topics, new Assignment(partitions)));
        });
        SubscriptionType type = kinds.size() == 1 ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS;
        Map<String, List<TopicPartition>> assignments = new HashMap<>();
        assignor.assign(new GroupSpecImpl(members, type, owners), this).members().forEach((member, assignment) -> {
            List<TopicPartition> partitions = assignments.computeIfAbsent(member, id -> new ArrayList<>());
            assignment.partitions().forEach((topic, numbers) ->
                numbers.forEach(number -> partitions.add(new TopicPartition(names.get(topic), number))));
        });
        return assignments;
    }

    /** An id derived from the name, so that questions.py can compute it as well. */
    private static Uuid id(String topic) {
        try {
            byte[] digest = MessageDigest.getInstance("MD5").digest(topic.getBytes(StandardCharsets.UTF_8));
            ByteBuffer bits = ByteBuffer.wrap(digest);
            return new Uuid(bits.getLong(), bits.getLong());
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public int numPartitions(Uuid topic) {
        return counts.getOrDefault(topic, -1);
    }

    @Override
    public Set<String> racksForPartition(Uuid topic, int partition) {
        return Set.of();
    }
}
