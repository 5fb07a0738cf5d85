import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Fills a broker's disks with small segments of every codec, an aborted transaction, and one that stays open. */
final class FillDisks {
    private static final int LONG_MS = 800_000;
    private static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4", "zstd");

    private FillDisks() {}

    public static void main(String[] arguments) throws Exception {
        String servers = arguments[0];
        Map<String, String> small =
                Map.of("internal.segment.bytes", "4096", "index.interval.bytes", "512", "retention.ms", "-1");
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            admin.createTopics(List.of(
                            new NewTopic("orders", 5, (short) 1).configs(small),
                            new NewTopic("payments", 2, (short) 1).configs(small),
                            new NewTopic("blank", 1, (short) 1)))
                    .all()
                    .get();
            for (int partition = 0; partition < CODECS.size(); partition++) {
                try (KafkaProducer<byte[], byte[]> producer = producer(servers, CODECS.get(partition), null)) {
                    send(producer, "orders", partition, 160);
                }
            }
            try (KafkaProducer<byte[], byte[]> producer = producer(servers, "none", "ends")) {
                producer.initTransactions();
                for (int number = 0; number < 6; number++) {
                    producer.beginTransaction();
                    send(producer, "payments", 0, 12);
                    send(producer, "payments", 1, 12);
                    if (number % 3 == 1) {
                        producer.abortTransaction();
                    } else {
                        producer.commitTransaction();
                    }
                }
            }
            admin.deleteRecords(Map.of(new TopicPartition("orders", 4), RecordsToDelete.beforeOffset(7))).all().get();
        }
        KafkaProducer<byte[], byte[]> open = producer(servers, "lz4", "stays-open");
        open.initTransactions();
        open.beginTransaction();
        send(open, "payments", 1, 5);
        Runtime.getRuntime().halt(0); // to close it would abort the transaction
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

    private static KafkaProducer<byte[], byte[]> producer(String servers, String codec, String transactionalId) {
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
