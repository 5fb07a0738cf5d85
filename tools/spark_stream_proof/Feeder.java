import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Does to a cluster what it reads, a command a line, and answers each with a line: {@code ok}, or {@code failed} and why.
 *
 * <p>{@code topic NAME PARTITIONS [CONFIG=VALUE ..]}, {@code grow NAME PARTITIONS}, {@code delete NAME},
 * {@code send NAME PARTITION COUNT}, {@code begin ID}, {@code in ID NAME PARTITION COUNT}, {@code commit ID},
 * {@code abort ID}, {@code trim NAME PARTITION OFFSET}. Values are numbers that rise in each partition.
 */
final class Feeder {
    private final String servers;
    private final Admin admin;
    private final KafkaProducer<byte[], byte[]> producer;
    private final Map<String, KafkaProducer<byte[], byte[]>> transactional = new HashMap<>();
    private long sent;

    private Feeder(String servers, Admin admin) {
        this.servers = servers;
        this.admin = admin;
        producer = new KafkaProducer<>(settings());
    }

    /** @param arguments bootstrap servers */
    public static void main(String[] arguments) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", arguments[0]))) {
            Feeder feeder = new Feeder(arguments[0], admin);
            BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                try {
                    feeder.run(line.split(" "));
                    System.out.println("ok");
                } catch (Exception failure) {
                    System.out.println("failed " + String.valueOf(failure).replace('\n', ' '));
                }
                System.out.flush();
            }
            Runtime.getRuntime().halt(0);
        }
    }

    private void run(String[] words) throws Exception {
        switch (words[0]) {
            case "topic" -> {
                Map<String, String> configs = new HashMap<>();
                for (int i = 3; i < words.length; i++) {
                    String[] config = words[i].split("=", 2);
                    configs.put(config[0], config[1]);
                }
                NewTopic topic = new NewTopic(words[1], Integer.parseInt(words[2]), (short) 1).configs(configs);
                admin.createTopics(Set.of(topic)).all().get();
            }
            case "grow" -> admin.createPartitions(
                    Map.of(words[1], NewPartitions.increaseTo(Integer.parseInt(words[2])))).all().get();
            case "delete" -> admin.deleteTopics(Set.of(words[1])).all().get();
            case "trim" -> admin.deleteRecords(Map.of(
                    new TopicPartition(words[1], Integer.parseInt(words[2])),
                    RecordsToDelete.beforeOffset(Long.parseLong(words[3])))).all().get();
            case "send" -> send(producer, words[1], words[2], words[3]);
            case "begin", "in", "commit", "abort" -> transact(words);
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    /** A part of a transaction; brokers under load sometimes refuse one that is in order, and another one follows. */
    private void transact(String[] words) throws Exception {
        try {
            KafkaProducer<byte[], byte[]> by = of(words[1]);
            switch (words[0]) {
                case "begin" -> by.beginTransaction();
                case "in" -> send(by, words[2], words[3], words[4]);
                case "commit" -> by.commitTransaction();
                default -> by.abortTransaction();
            }
        } catch (KafkaException | ExecutionException | IllegalStateException refused) {
            transactional.remove(words[1]).close(Duration.ZERO);
        }
    }

    private KafkaProducer<byte[], byte[]> of(String id) {
        return transactional.computeIfAbsent(id, name -> {
            Map<String, Object> settings = settings();
            settings.put("transactional.id", name);
            KafkaProducer<byte[], byte[]> made = new KafkaProducer<>(settings);
            made.initTransactions();
            return made;
        });
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", servers);
        settings.put("key.serializer", ByteArraySerializer.class);
        settings.put("value.serializer", ByteArraySerializer.class);
        settings.put("compression.type", "lz4");
        settings.put("batch.size", 400);
        settings.put("linger.ms", 1);
        return settings;
    }

    private void send(KafkaProducer<byte[], byte[]> to, String topic, String partition, String count) throws Exception {
        List<java.util.concurrent.Future<?>> results = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(count); i++) {
            byte[] value = String.valueOf(sent++).getBytes(StandardCharsets.US_ASCII);
            byte[] key = ("k" + sent % 7).getBytes(StandardCharsets.US_ASCII);
            ProducerRecord<byte[], byte[]> record =
                    new ProducerRecord<>(topic, Integer.parseInt(partition), key, value);
            record.headers().add(new RecordHeader("h", value));
            results.add(to.send(record));
        }
        to.flush();
        for (java.util.concurrent.Future<?> result : results) {
            result.get();
        }
    }
}
