import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Fills a cluster by a plan on standard input, a step a line, words with tabs between:
 *
 * <pre>
 * topic   NAME  PARTITIONS  CONFIG=VALUE ..
 * unset   NAME  CONFIG                        (a topic's config)
 * broker  NODE  CONFIG=VALUE ..               (NODE "" for the default of all brokers)
 * send    TOPIC PARTITION  TIMESTAMP  KEY  BYTES   (KEY "" for none; BYTES -1 for a tombstone)
 * begin   ID                                  (a transaction, which the sends that follow belong to)
 * commit, abort, or leave                     (that transaction; "leave" keeps it open)
 * trim    TOPIC PARTITION  OFFSET             (DeleteRecords)
 * </pre>
 *
 * <p>Records are sent in order, in batches of a few; each step waits for the sends before it.
 */
final class FillLogs {
    private FillLogs() {}

    /** @param arguments bootstrap servers */
    public static void main(String[] arguments) throws Exception {
        Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", arguments[0], "batch.size", 600));
        settings.putAll(Map.of("linger.ms", 5, "delivery.timeout.ms", 60_000));
        // A new partition may refuse the first request and take the second: one at a time keeps the order.
        settings.putAll(Map.of("enable.idempotence", false, "max.in.flight.requests.per.connection", 1));
        BufferedReader plan = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        Map<String, KafkaProducer<String, byte[]>> transactional = new HashMap<>();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", arguments[0]));
                KafkaProducer<String, byte[]> plain =
                        new KafkaProducer<>(settings, new StringSerializer(), new ByteArraySerializer())) {
            KafkaProducer<String, byte[]> producer = plain;
            for (String line = plan.readLine(); line != null; line = plan.readLine()) {
                String[] words = line.split("\t", -1);
                if (words[0].equals("send")) {
                    sent.add(producer.send(record(words)));
                    continue;
                }
                finish(producer, sent);
                switch (words[0]) {
                    case "topic" -> admin.createTopics(List.of(
                                    new NewTopic(words[1], Optional.of(Integer.parseInt(words[2])), Optional.empty())
                                            .configs(configs(words, 3))))
                            .all()
                            .get();
                    case "unset" -> alter(
                            admin,
                            new ConfigResource(ConfigResource.Type.TOPIC, words[1]),
                            AlterConfigOp.OpType.DELETE,
                            Map.of(words[2], ""));
                    case "broker" -> alter(
                            admin,
                            new ConfigResource(ConfigResource.Type.BROKER, words[1]),
                            AlterConfigOp.OpType.SET,
                            configs(words, 2));
                    case "begin" -> {
                        producer = transactional.computeIfAbsent(words[1], id -> transactional(settings, id));
                        producer.beginTransaction();
                    }
                    case "commit", "abort", "leave" -> {
                        if (words[0].equals("commit")) {
                            producer.commitTransaction();
                        } else if (words[0].equals("abort")) {
                            producer.abortTransaction();
                        }
                        producer = plain;
                    }
                    case "trim" -> admin.deleteRecords(Map.of(
                                    new TopicPartition(words[1], Integer.parseInt(words[2])),
                                    RecordsToDelete.beforeOffset(Long.parseLong(words[3]))))
                            .all()
                            .get();
                    default -> throw new IllegalArgumentException(line);
                }
            }
            finish(producer, sent);
            // At once: a producer that is closed in order aborts its open transaction.
            transactional.values().forEach(each -> each.close(Duration.ZERO));
        }
    }

    private static KafkaProducer<String, byte[]> transactional(Map<String, Object> settings, String id) {
        Map<String, Object> own = new HashMap<>(settings);
        own.putAll(Map.of("transactional.id", id, "enable.idempotence", true, "transaction.timeout.ms", 900_000));
        KafkaProducer<String, byte[]> producer =
                new KafkaProducer<>(own, new StringSerializer(), new ByteArraySerializer());
        producer.initTransactions();
        return producer;
    }

    private static ProducerRecord<String, byte[]> record(String[] words) {
        int size = Integer.parseInt(words[5]);
        String key = words[4].isEmpty() ? null : words[4];
        byte[] value = size < 0 ? null : new byte[size];
        return new ProducerRecord<>(words[1], Integer.parseInt(words[2]), Long.parseLong(words[3]), key, value);
    }

    private static void finish(KafkaProducer<String, byte[]> producer, List<Future<RecordMetadata>> sent)
            throws Exception {
        producer.flush();
        for (Future<RecordMetadata> each : sent) {
            each.get();
        }
        sent.clear();
    }

    private static void alter(
            Admin admin, ConfigResource resource, AlterConfigOp.OpType operation, Map<String, String> configs)
            throws Exception {
        Collection<AlterConfigOp> changes = new ArrayList<>();
        configs.forEach((name, value) -> changes.add(new AlterConfigOp(new ConfigEntry(name, value), operation)));
        admin.incrementalAlterConfigs(Map.of(resource, changes)).all().get();
    }

    private static Map<String, String> configs(String[] words, int first) {
        Map<String, String> configs = new HashMap<>();
        for (int number = first; number < words.length; number++) {
            String[] pair = words[number].split("=", 2);
            configs.put(pair[0], pair[1]);
        }
        return configs;
    }
}
