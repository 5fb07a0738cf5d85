import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A group whose offsets are reset while it has no members, as docs/examples/reset/README.md describes. */
final class FillReset {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 3;

    private final String servers;
    private int sold;

    private FillReset(String servers) {
        this.servers = servers;
    }

    public static void main(String[] arguments) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", arguments[0]))) {
            new FillReset(arguments[0]).fill(admin);
        }
        System.out.println("filled");
    }

    private void fill(Admin admin) throws Exception {
        ConfigResource orders = new ConfigResource(ConfigResource.Type.TOPIC, TOPIC);
        admin.createTopics(List.of(
            new NewTopic(TOPIC, PARTITIONS, (short) 1).configs(Map.of("retention.ms", "604800000")),
            new NewTopic("orders-test", 1, (short) 1))).all().get();
        sellInTransactions();
        try (Consumer<String, String> first = consumer("billing", "billing-a", "classic")) {
            try (Consumer<String, String> second = consumer("billing", "billing-b", "classic")) {
                joinBoth(first, second);
                commit(first);
                commit(second);
            }
            sell(5);
            readFromEach(first, PARTITIONS);
            commit(first);
        }
        admin.deleteTopics(List.of("orders-test")).all().get();
        admin.incrementalAlterConfigs(Map.of(orders, List.of(
            new AlterConfigOp(new ConfigEntry("retention.ms", "2592000000"), AlterConfigOp.OpType.SET)))).all().get();
        pause();
        // What kafka-consumer-groups.sh --reset-offsets --to-offset sends; it demands that the group is empty.
        Map<TopicPartition, OffsetAndMetadata> earlier = new HashMap<>();
        for (int number = 0; number < PARTITIONS; number++) {
            earlier.put(new TopicPartition(TOPIC, number), new OffsetAndMetadata(2L * number));
        }
        admin.alterConsumerGroupOffsets("billing", earlier).all().get();
        pause();
        try (Consumer<String, String> again = consumer("billing", "billing-a", "classic")) {
            readFromEach(again, PARTITIONS);
            commit(again);
        }
        try (Consumer<String, String> audit = consumer("audit", "auditor", "consumer")) {
            readFromEach(audit, PARTITIONS);
            commit(audit);
        }
        pause();
        admin.deleteConsumerGroupOffsets("audit", Set.of(new TopicPartition(TOPIC, PARTITIONS - 1))).all().get();
        admin.deleteConsumerGroups(List.of("audit")).all().get();
        admin.createPartitions(Map.of(TOPIC, NewPartitions.increaseTo(PARTITIONS + 1))).all().get();
        admin.incrementalAlterConfigs(Map.of(orders, List.of(
            new AlterConfigOp(new ConfigEntry("retention.ms", null), AlterConfigOp.OpType.DELETE)))).all().get();
        pause();
    }

    /** A till sells in three transactions, the second of which is aborted, and restarts in between. */
    private void sellInTransactions() {
        try (Producer<String, String> till = till("till-1")) {
            till.initTransactions();
            till.beginTransaction();
            sell(till, 10);
            till.commitTransaction();
            till.beginTransaction();
            sell(till, 1);
            till.flush();
            till.abortTransaction();
        }
        try (Producer<String, String> till = till("till-1")) {
            till.initTransactions();
            till.beginTransaction();
            sell(till, 2);
            till.commitTransaction();
        }
    }

    private void sell(int each) {
        try (Producer<String, String> producer = till(null)) {
            sell(producer, each);
        }
    }

    private void sell(Producer<String, String> producer, int each) {
        for (int count = 0; count < each; count++) {
            for (int number = 0; number < PARTITIONS; number++) {
                String order = "order-" + ++sold;
                producer.send(new ProducerRecord<>(TOPIC, number, order, "{\"order\":\"" + order + "\"}"));
            }
        }
    }

    private Producer<String, String> till(String transactionalId) {
        Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", servers));
        if (transactionalId != null) {
            settings.put("transactional.id", transactionalId);
        }
        return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
    }

    private Consumer<String, String> consumer(String group, String client, String protocol) {
        Map<String, Object> settings = new HashMap<>(Map.of(
            "bootstrap.servers", servers,
            "group.id", group,
            "client.id", client,
            "group.protocol", protocol,
            "isolation.level", "read_committed",
            "enable.auto.commit", "false",
            "auto.offset.reset", "earliest"));
        if (protocol.equals("classic")) {
            settings.put("partition.assignment.strategy", RangeAssignor.class.getName());
        }
        Consumer<String, String> consumer =
            new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        consumer.subscribe(List.of(TOPIC));
        return consumer;
    }

    /** Polls until both have partitions, and have read from each of them. */
    private static void joinBoth(Consumer<?, ?> first, Consumer<?, ?> second) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (positions(first) + positions(second) < PARTITIONS || first.assignment().isEmpty()
            || second.assignment().isEmpty()) {
            first.poll(Duration.ofMillis(100));
            second.poll(Duration.ofMillis(100));
            requireTime(end);
        }
    }

    /** Polls until it has so many partitions and has read all of them to their ends. */
    private static void readFromEach(Consumer<?, ?> consumer, int partitions) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (consumer.assignment().size() < partitions || positions(consumer) < partitions) {
            consumer.poll(Duration.ofMillis(100));
            requireTime(end);
        }
    }

    /** The number of its partitions that it has read to the end. */
    private static int positions(Consumer<?, ?> consumer) {
        int done = 0;
        Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
        for (TopicPartition partition : consumer.assignment()) {
            done += consumer.position(partition) >= ends.get(partition) ? 1 : 0;
        }
        return done;
    }

    private static void commit(Consumer<?, ?> consumer) {
        consumer.commitSync();
    }

    private static void requireTime(long end) {
        if (System.nanoTime() > end) {
            throw new IllegalStateException("the consumers did not get their partitions in time");
        }
    }

    private static void pause() throws InterruptedException {
        Thread.sleep(3000);
    }
}
