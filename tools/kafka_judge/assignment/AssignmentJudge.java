import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/**
 * Lets Kafka's assignors assign partitions to groups.
 *
 * <p>Takes a group a line from standard input, its fields with tabs between them as questions.py writes them, and
 * answers with a line on standard output: of each member its id, the number of its partitions, and their topics and
 * numbers in order; or ! and how the assignor died.
 */
public final class AssignmentJudge {
    private static final String COORDINATOR = "coordinator-";

    private final Iterator<String> fields;
    private final Map<String, Node> nodes = new HashMap<>();

    private AssignmentJudge(String line) {
        fields = Arrays.asList(line.split("\t", -1)).iterator();
    }

    public static void main(String[] ignored) throws IOException {
        PrintStream answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                answers.print(new AssignmentJudge(line).answer() + "\n");
            }
        }
        answers.flush();
    }

    private String answer() {
        String assignor = fields.next();
        Cluster cluster = cluster();
        // Kafka's leader puts the subscriptions into a map of this kind, in the order in which it gets them.
        Map<String, Subscription> subscriptions = new HashMap<>();
        List<String> members = new ArrayList<>();
        for (int left = number(); left > 0; left--) {
            String memberId = fields.next();
            members.add(memberId);
            subscriptions.put(memberId, subscription());
        }
        try {
            return assignor.startsWith(COORDINATOR)
                ? answer(members, new TargetAssignment(cluster, subscriptions).by(assignor.substring(COORDINATOR.length())))
                : answer(members, byLeader(assignor, cluster, subscriptions));
        } catch (RuntimeException died) {
            return "!" + died.getClass().getSimpleName();
        }
    }

    private static Map<String, List<TopicPartition>> byLeader(
            String assignor, Cluster cluster, Map<String, Subscription> subscriptions) {
        Map<String, List<TopicPartition>> assignments = new HashMap<>();
        assignor(assignor).assign(cluster, new GroupSubscription(subscriptions)).groupAssignment()
            .forEach((member, assignment) -> assignments.put(member, assignment.partitions()));
        return assignments;
    }

    private static String answer(List<String> members, Map<String, List<TopicPartition>> assignments) {
        List<String> answer = new ArrayList<>();
        for (String memberId : members) {
            List<TopicPartition> partitions = new ArrayList<>(assignments.getOrDefault(memberId, List.of()));
            partitions.sort((one, other) -> one.topic().equals(other.topic())
                ? Integer.compare(one.partition(), other.partition())
                : one.topic().compareTo(other.topic()));
            answer.add(memberId);
            answer.add(Integer.toString(partitions.size()));
            for (TopicPartition partition : partitions) {
                answer.add(partition.topic());
                answer.add(Integer.toString(partition.partition()));
            }
        }
        return String.join("\t", answer);
    }

    private static ConsumerPartitionAssignor assignor(String name) {
        return switch (name) {
            case "range" -> new RangeAssignor();
            case "roundrobin" -> new RoundRobinAssignor();
            case "sticky" -> new StickyAssignor();
            case "cooperative-sticky" -> new CooperativeStickyAssignor();
            default -> throw new IllegalArgumentException(name);
        };
    }

    private Cluster cluster() {
        List<PartitionInfo> partitions = new ArrayList<>();
        for (int topics = number(); topics > 0; topics--) {
            String topic = fields.next();
            int count = number();
            for (int partition = 0; partition < count; partition++) {
                Node[] replicas = Arrays.stream(fields.next().split(",", -1)).map(this::node).toArray(Node[]::new);
                partitions.add(new PartitionInfo(topic, partition, replicas[0], replicas, replicas));
            }
        }
        return new Cluster("cluster", nodes.values(), partitions, new TreeSet<>(), new TreeSet<>());
    }

    private Node node(String rack) {
        return nodes.computeIfAbsent(
            rack, name -> new Node(nodes.size() + 1, "host", 9092, name.isEmpty() ? null : name));
    }

    private Subscription subscription() {
        String staticId = fields.next();
        String rack = fields.next();
        int generation = number();
        List<String> topics = new ArrayList<>();
        for (int left = number(); left > 0; left--) {
            topics.add(fields.next());
        }
        List<TopicPartition> owned = new ArrayList<>();
        for (int left = number(); left > 0; left--) {
            owned.add(new TopicPartition(fields.next(), number()));
        }
        String userData = fields.next();
        Subscription subscription = new Subscription(
            topics,
            userData.equals("-") ? null : ByteBuffer.wrap(Base64.getDecoder().decode(userData)),
            owned,
            generation,
            rack.equals("-") ? Optional.empty() : Optional.of(rack));
        subscription.setGroupInstanceId(staticId.equals("-") ? Optional.empty() : Optional.of(staticId));
        return subscription;
    }

    private int number() {
        return Integer.parseInt(fields.next());
    }
}
