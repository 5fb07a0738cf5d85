import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Does the tasks of clients_proof/tasks.py with Kafka's own client, of 2.8 to 4.4. */
final class DoTasks {
    private static final long IDLE_MS = 30_000;
    private static final Duration POLL = Duration.ofMillis(200);
    private static final List<String> SETTINGS = new ArrayList<>(); // name=value, of the client

    private DoTasks() {}

    /** @param arguments the file of the tasks */
    public static void main(String[] arguments) throws IOException {
        String more = System.getenv("CLIENTS_PROOF_SETTINGS");
        SETTINGS.addAll(more == null ? List.of() : Files.readAllLines(Path.of(more)));
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            String[] task = line.split("\t", -1);
            List<String> lines = new ArrayList<>();
            try {
                act(task, lines);
            } catch (RuntimeException | ExecutionException | InterruptedException failure) {
                lines.add("#error\t" + text(failure));
            }
            try (BufferedWriter out = Files.newBufferedWriter(Path.of(task[1]))) {
                for (String each : lines) {
                    out.write(each);
                    out.write('\n');
                }
            }
        }
    }

    private static void act(String[] task, List<String> lines) throws ExecutionException, InterruptedException {
        switch (task[0]) {
            case "read" -> read(task[2], task[3], task[4].split(","), Integer.parseInt(task[5]), lines);
            case "subscribe" -> subscribe(task, lines);
            case "committed" -> committed(task[2], task[3], task[4].split(","), lines);
            case "produce" -> produce(task[2], task[3]);
            case "create" -> create(task[2], task[3]);
            default -> throw new IllegalArgumentException(task[0]);
        }
    }

    private static void read(String bootstrap, String level, String[] topics, int count, List<String> lines) {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(bootstrap, Map.of("isolation.level", level))) {
            Collection<TopicPartition> partitions = partitions(consumer, topics);
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            poll(consumer, count, lines);
        }
    }

    private static void subscribe(String[] task, List<String> lines) {
        Map<String, Object> settings = new HashMap<>(Map.of("group.id", task[4], "auto.offset.reset", "earliest"));
        if (task[3].equals("consumer")) {
            settings.put("group.protocol", "consumer");
        }
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(task[2], settings)) {
            consumer.subscribe(Arrays.asList(task[5].split(",")));
            poll(consumer, Integer.parseInt(task[6]), lines);
            if (task[7].equals("commit")) {
                consumer.commitSync();
            }
        }
    }

    private static void poll(KafkaConsumer<byte[], byte[]> consumer, int count, List<String> lines) {
        long last = System.currentTimeMillis();
        int read = 0;
        boolean isComplete = false; // then one more poll, which finds what there should not be
        while (System.currentTimeMillis() - last < IDLE_MS) {
            int found = 0;
            for (ConsumerRecord<byte[], byte[]> each : consumer.poll(POLL)) {
                lines.add(line(each));
                found++;
            }
            read += found;
            if (found > 0) {
                last = System.currentTimeMillis();
            }
            if (isComplete) {
                return;
            }
            isComplete = read >= count && !consumer.assignment().isEmpty();
        }
    }

    private static void committed(String bootstrap, String group, String[] topics, List<String> lines) {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(bootstrap, Map.of("group.id", group))) {
            Set<TopicPartition> partitions = new HashSet<>(partitions(consumer, topics));
            for (Map.Entry<TopicPartition, OffsetAndMetadata> each : consumer.committed(partitions).entrySet()) {
                if (each.getValue() != null) {
                    TopicPartition partition = each.getKey();
                    lines.add(partition.topic() + "\t" + partition.partition() + "\t" + each.getValue().offset());
                }
            }
        }
    }

    private static void produce(String bootstrap, String topic) throws ExecutionException, InterruptedException {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", bootstrap,
                "enable.idempotence", false,
                "delivery.timeout.ms", 30_000,
                "request.timeout.ms", 10_000,
                "key.serializer", ByteArraySerializer.class,
                "value.serializer", ByteArraySerializer.class);
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings)) {
            producer.send(new ProducerRecord<>(topic, 0, null, new byte[] {1})).get();
        }
    }

    private static void create(String bootstrap, String topic) throws ExecutionException, InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap, "default.api.timeout.ms", 30_000))) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
        }
    }

    private static KafkaConsumer<byte[], byte[]> consumer(String bootstrap, Map<String, ?> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("bootstrap.servers", bootstrap);
        settings.put("enable.auto.commit", false);
        settings.put("key.deserializer", ByteArrayDeserializer.class);
        settings.put("value.deserializer", ByteArrayDeserializer.class);
        for (String line : SETTINGS) {
            String[] setting = line.split("=", 2);
            settings.put(setting[0], setting[1]);
        }
        return new KafkaConsumer<>(settings);
    }

    private static Collection<TopicPartition> partitions(KafkaConsumer<byte[], byte[]> consumer, String[] topics) {
        List<TopicPartition> partitions = new ArrayList<>();
        for (String topic : topics) {
            for (PartitionInfo each : consumer.partitionsFor(topic)) {
                partitions.add(new TopicPartition(topic, each.partition()));
            }
        }
        return partitions;
    }

    private static String line(ConsumerRecord<byte[], byte[]> record) {
        List<String> headers = new ArrayList<>();
        for (Header each : record.headers()) {
            headers.add(base64(each.key().getBytes(StandardCharsets.UTF_8)) + ":" + base64(each.value()));
        }
        return String.join(
                "\t",
                record.topic(),
                String.valueOf(record.partition()),
                String.valueOf(record.offset()),
                String.valueOf(record.timestamp()),
                base64(record.key()),
                base64(record.value()),
                String.join(",", headers));
    }

    private static String base64(byte[] bytes) {
        return bytes == null ? "-" : Base64.getEncoder().encodeToString(bytes);
    }

    private static String text(Exception failure) {
        Throwable cause = failure instanceof ExecutionException ? failure.getCause() : failure;
        return (cause.getClass().getSimpleName() + ": " + cause.getMessage()).replaceAll("\\s+", " ");
    }
}
