import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Prints what a cluster serves once it has settled, each value after a tab: of each partition {@code partition}, its
 * topic, number, leader (-1: none), in-sync nodes, first and next offset, and why a consumer stops before its end; of
 * each record that a consumer gets {@code record}, topic, partition, offset and {@link RecordHash}.
 *
 * <p>A broker gives the next offset only once its replicas have followed it to where it began to lead.
 */
final class ReadCluster {
    private static final int SETTLE_SECONDS = 25; // more than the session of a broker that is dead
    private static final int IDLE_SECONDS = 15;
    private static final int API_MS = 20_000;
    private static final Pattern STOPPED_AT = Pattern.compile("(?:from|partition) (\\S+-\\d+)\\b");

    private final String servers;
    private final Set<Integer> running;
    private final StringBuilder records = new StringBuilder();

    private ReadCluster(String servers, Set<Integer> running) {
        this.servers = servers;
        this.running = running;
    }

    /** @param arguments bootstrap servers, and the ids of the nodes that run */
    public static void main(String[] arguments) throws Exception {
        List<String> nodes = Arrays.asList(arguments).subList(1, arguments.length);
        new ReadCluster(arguments[0], nodes.stream().map(Integer::valueOf).collect(Collectors.toSet())).read();
    }

    private void read() throws Exception {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", servers, "default.api.timeout.ms", API_MS, "request.timeout.ms", 10_000);
        try (Admin admin = Admin.create(settings)) {
            Map<String, TopicDescription> topics = settled(admin);
            Map<TopicPartition, TopicPartitionInfo> partitions = new HashMap<>();
            topics.forEach((name, topic) -> topic.partitions()
                    .forEach(each -> partitions.put(new TopicPartition(name, each.partition()), each)));
            List<TopicPartition> led =
                    partitions.keySet().stream().filter(each -> isLed(partitions.get(each))).toList();
            Map<TopicPartition, String> errors = new HashMap<>();
            Map<TopicPartition, Long> starts = offsets(admin, led, OffsetSpec.earliest(), errors);
            Map<TopicPartition, Long> ends = offsets(admin, led, OffsetSpec.latest(), errors);
            consume(ends, errors);
            StringBuilder lines = new StringBuilder();
            partitions.forEach((partition, info) -> lines.append(String.join(
                            "\t",
                            "partition",
                            partition.topic(),
                            String.valueOf(partition.partition()),
                            String.valueOf(isLed(info) ? info.leader().id() : -1),
                            info.isr().stream().map(Node::id).sorted().map(String::valueOf).collect(Collectors.joining(",")),
                            String.valueOf(starts.getOrDefault(partition, -1L)),
                            String.valueOf(ends.getOrDefault(partition, -1L)),
                            errors.getOrDefault(partition, "").replaceAll("\\s+", " ")))
                    .append('\n'));
            System.out.print(lines.append(records));
        }
    }

    private static boolean isLed(TopicPartitionInfo info) {
        return info.leader() != null && !info.leader().isEmpty();
    }

    /** The topics, once all replicas on nodes that run are in sync, or nothing has changed for some time. */
    private Map<String, TopicDescription> settled(Admin admin) throws Exception {
        Map<String, TopicDescription> before = Map.of();
        long changed = System.nanoTime();
        while (true) {
            Set<String> names = admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get();
            Map<String, TopicDescription> topics = admin.describeTopics(names).allTopicNames().get();
            boolean isSettled = topics.values().stream().flatMap(each -> each.partitions().stream()).allMatch(this::inSync);
            if (!topics.equals(before)) {
                changed = System.nanoTime();
            }
            if (isSettled || System.nanoTime() - changed > Duration.ofSeconds(SETTLE_SECONDS).toNanos()) {
                return topics;
            }
            before = topics;
            Thread.sleep(300);
        }
    }

    private boolean inSync(TopicPartitionInfo info) {
        Set<Integer> expected = info.replicas().stream().map(Node::id).collect(Collectors.toCollection(HashSet::new));
        expected.retainAll(running);
        Set<Integer> found = info.isr().stream().map(Node::id).collect(Collectors.toSet());
        return found.equals(expected) && (expected.isEmpty() || isLed(info) && running.contains(info.leader().id()));
    }

    private static Map<TopicPartition, Long> offsets(
            Admin admin, List<TopicPartition> partitions, OffsetSpec of, Map<TopicPartition, String> errors)
            throws InterruptedException {
        ListOffsetsResult asked =
                admin.listOffsets(partitions.stream().collect(Collectors.toMap(each -> each, each -> of)));
        Map<TopicPartition, Long> found = new TreeMap<>((one, other) -> one.toString().compareTo(other.toString()));
        for (TopicPartition each : partitions) {
            try {
                found.put(each, asked.partitionResult(each).get().offset());
            } catch (ExecutionException failed) {
                errors.put(each, String.valueOf(failed.getCause()));
            }
        }
        return found;
    }

    private void consume(Map<TopicPartition, Long> ends, Map<TopicPartition, String> errors) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", servers, "auto.offset.reset", "earliest", "enable.auto.commit", "false");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            Set<TopicPartition> open = new HashSet<>(ends.keySet());
            consumer.assign(open);
            consumer.seekToBeginning(open);
            long moved = System.nanoTime();
            while (!open.isEmpty()) {
                try {
                    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                        add(record);
                        moved = System.nanoTime();
                    }
                } catch (KafkaException stopped) {
                    Matcher place = STOPPED_AT.matcher(String.valueOf(stopped.getMessage()));
                    TopicPartition at = place.find() ? partition(place.group(1)) : null;
                    if (at == null || !open.remove(at)) {
                        throw stopped;
                    }
                    errors.put(at, stopped + (stopped.getCause() == null ? "" : ": " + stopped.getCause()));
                    consumer.pause(List.of(at));
                    moved = System.nanoTime();
                }
                for (TopicPartition each : new ArrayList<>(open)) {
                    if (consumer.position(each) >= ends.get(each)) {
                        open.remove(each);
                        consumer.pause(List.of(each));
                        moved = System.nanoTime();
                    }
                }
                if (System.nanoTime() - moved > Duration.ofSeconds(IDLE_SECONDS).toNanos()) {
                    open.forEach(each -> errors.put(each, "no record comes from " + consumer.position(each) + " on"));
                    return;
                }
            }
        }
    }

    private static TopicPartition partition(String name) {
        int dash = name.lastIndexOf('-');
        return new TopicPartition(name.substring(0, dash), Integer.parseInt(name.substring(dash + 1)));
    }

    private void add(ConsumerRecord<byte[], byte[]> record) {
        String hash = RecordHash.of(
                record.offset(), record.timestamp(), wrapped(record.key()), wrapped(record.value()), record.headers().toArray());
        records.append(String.join("\t", "record", record.topic(), String.valueOf(record.partition()), String.valueOf(record.offset()), hash))
                .append('\n');
    }

    private static ByteBuffer wrapped(byte[] data) {
        return data == null ? null : ByteBuffer.wrap(data);
    }
}
