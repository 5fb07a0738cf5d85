import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Fills the disks of a cluster with small segments of every codec, a compacted topic, a partition that only one node
 * has, groups, an aborted transaction, and one that stays open.
 */
final class FillDisks {
    private static final int LONG_MS = 86_000_000;
    private static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4", "zstd");

    private final String servers;
    private final boolean isFirst;

    private FillDisks(String servers, boolean isFirst) {
        this.servers = servers;
        this.isFirst = isFirst;
    }

    /** @param arguments bootstrap servers; of the first time, the number of nodes, whose ids count from 1 */
    public static void main(String[] arguments) throws Exception {
        FillDisks filling = new FillDisks(arguments[0], arguments.length > 1);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", arguments[0]))) {
            if (filling.isFirst) {
                createTopics(admin, Integer.parseInt(arguments[1]));
            }
            filling.fill(admin);
        }
        filling.leaveOpen();
        Runtime.getRuntime().halt(0); // to close the producer would abort its transaction
    }

    private static void createTopics(Admin admin, int nodes) throws Exception {
        Map<String, String> small =
                Map.of("internal.segment.bytes", "4096", "index.interval.bytes", "512", "retention.ms", "-1");
        Map<String, String> compacted = new HashMap<>(small);
        compacted.put("cleanup.policy", "compact");
        admin.createTopics(List.of(
                        new NewTopic("orders", replicas(nodes, 5, nodes)).configs(small),
                        new NewTopic("payments", replicas(nodes, 2, Math.min(nodes, 2))).configs(small),
                        new NewTopic("users", replicas(nodes, 1, nodes)).configs(compacted),
                        new NewTopic("solo", replicas(nodes, nodes, 1)).configs(small),
                        new NewTopic("blank", replicas(nodes, 1, nodes))))
                .all()
                .get();
    }

    /** The nodes of each partition, in turn: those that Kafka chooses are others at every run. */
    private static Map<Integer, List<Integer>> replicas(int nodes, int partitions, int factor) {
        Map<Integer, List<Integer>> replicas = new TreeMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            int first = partition;
            replicas.put(
                    partition,
                    IntStream.range(0, factor).map(each -> (first + each) % nodes + 1).boxed().toList());
        }
        return replicas;
    }

    private void fill(Admin admin) throws Exception {
        for (int partition = 0; partition < CODECS.size(); partition++) {
            try (KafkaProducer<byte[], byte[]> producer = producer(CODECS.get(partition), null)) {
                send(producer, "orders", partition, isFirst ? 100 : 60);
                if (partition == 0) {
                    send(producer, "users", 0, 30);
                    for (PartitionInfo each : isFirst ? producer.partitionsFor("solo") : List.<PartitionInfo>of()) {
                        send(producer, "solo", each.partition(), 40);
                    }
                }
            }
        }
        try (KafkaProducer<byte[], byte[]> producer = producer("none", "ends")) {
            producer.initTransactions();
            for (int number = 0; number < 3; number++) {
                producer.beginTransaction();
                send(producer, "payments", 0, 12);
                send(producer, "payments", 1, 12);
                if (number == 1) {
                    producer.abortTransaction();
                } else {
                    producer.commitTransaction();
                }
            }
        }
        Map<TopicPartition, OffsetAndMetadata> committed = Map.of(
                new TopicPartition("orders", 0), new OffsetAndMetadata(isFirst ? 50 : 120),
                new TopicPartition("users", 0), new OffsetAndMetadata(isFirst ? 7 : 40));
        admin.alterConsumerGroupOffsets("billing", committed).all().get();
        if (isFirst) {
            admin.deleteRecords(Map.of(new TopicPartition("orders", 4), RecordsToDelete.beforeOffset(7))).all().get();
        }
    }

    private void leaveOpen() throws Exception {
        KafkaProducer<byte[], byte[]> open = producer("lz4", "stays-open-" + (isFirst ? "first" : "later"));
        open.initTransactions();
        open.beginTransaction();
        send(open, "payments", 1, 5);
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, String topic, int partition, int records)
            throws Exception {
        for (int number = 0; number < records; number++) {
            byte[] key = ("key-" + number).getBytes(StandardCharsets.UTF_8);
            byte[] value = ("value " + number + " " + "x".repeat(number % 7 * 30)).getBytes(StandardCharsets.UTF_8);
            producer.send(new ProducerRecord<>(topic, partition, key, value));
            if (number % 5 == 4) {
                producer.flush();
            }
        }
        producer.flush();
    }

    private KafkaProducer<byte[], byte[]> producer(String codec, String transactionalId) {
        Map<String, Object> properties = new HashMap<>();
        properties.put("bootstrap.servers", servers);
        properties.put("compression.type", codec);
        properties.put("linger.ms", 1000);
        if (transactionalId != null) {
            properties.put("transactional.id", transactionalId);
            properties.put("transaction.timeout.ms", LONG_MS);
        }
        return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }
}
