import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Fills a cluster for some seconds while consumers, one for each isolation level, write down what they get: from the
 * broker, and from kafkafmt serve, which follows its disks.
 *
 * <p>Segments roll and are deleted, DeleteRecords moves log starts, the cleaner compacts, topics are made, deleted and
 * made again, partitions are added, transactions commit, abort and stay open for seconds. A line of a consumer's file
 * is topic, partition, offset, key and value, with tabs between. Prints counts at the end, a word and a number a line.
 */
final class Traffic {
    private static final int PAUSE_MS = 20;
    private static final long READ_MS = 8_000; // that consumers have had what was written before it is deleted

    private final String servers;
    private final Admin admin;
    private final long end;
    private final AtomicLong written = new AtomicLong();
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicInteger deleted = new AtomicInteger();
    private final AtomicInteger trims = new AtomicInteger();
    private final AtomicInteger transactions = new AtomicInteger();
    private final CountDownLatch ready = new CountDownLatch(4);
    private volatile boolean isDone;
    private volatile Throwable failure;

    private Traffic(String servers, Admin admin, int seconds) {
        this.servers = servers;
        this.admin = admin;
        end = System.currentTimeMillis() + 1000L * seconds;
    }

    /** @param arguments bootstrap servers, seconds, the directory for what the consumers get, and the address of serve */
    public static void main(String[] arguments) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", arguments[0]))) {
            new Traffic(arguments[0], admin, Integer.parseInt(arguments[1])).run(Path.of(arguments[2]), arguments[3]);
        }
    }

    private interface Task {
        void run() throws Exception;
    }

    private void run(Path directory, String served) throws Exception {
        create("steady", 3, Map.of("internal.segment.bytes", "65536"));
        create("short", 2, Map.of("segment.ms", "1500", "retention.ms", "12000"));
        create("small", 2, Map.of("internal.segment.bytes", "16384", "retention.bytes", "65536"));
        create("latest", 1, Map.of(
                "cleanup.policy", "compact", "segment.ms", "2000", "min.cleanable.dirty.ratio", "0.01",
                "min.compaction.lag.ms", String.valueOf(READ_MS)));
        create("trimmed", 2, Map.of("internal.segment.bytes", "32768"));
        create("transactional", 2, Map.of("internal.segment.bytes", "65536"));
        create("preallocated", 1, Map.of("internal.segment.bytes", "65536", "preallocate", "true"));
        create("grown", 1, Map.of());
        List<Thread> consumers = new ArrayList<>();
        for (String level : List.of("read_uncommitted", "read_committed")) {
            consumers.add(start(() -> consume(servers, level, directory.resolve(level + ".tsv"))));
            consumers.add(start(() -> consume(served, level, directory.resolve("served-" + level + ".tsv"))));
        }
        ready.await();
        List<Thread> tasks = new ArrayList<>();
        tasks.add(start(() -> produce("steady", 3, 40, "lz4")));
        tasks.add(start(() -> produce("short", 2, 10, "none")));
        tasks.add(start(() -> produce("small", 2, 20, "zstd")));
        tasks.add(start(() -> produce("latest", 1, 4, "none")));
        tasks.add(start(() -> produce("trimmed", 2, 10, "gzip")));
        tasks.add(start(() -> produce("preallocated", 1, 10, "snappy")));
        tasks.add(start(() -> transact("brief", 30, 300)));
        tasks.add(start(() -> transact("long", 5, 5_000)));
        tasks.add(start(this::trim));
        tasks.add(start(this::grow));
        tasks.add(start(() -> churn(false)));
        tasks.add(start(() -> churn(true)));
        for (Thread task : tasks) {
            task.join();
        }
        Thread.sleep(2 * READ_MS);
        isDone = true;
        for (Thread consumer : consumers) {
            consumer.join();
        }
        if (failure != null) {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
        System.out.printf("records %d%ntopicsMade %d%ntopicsDeleted %d%n", written.get(), made.get(), deleted.get());
        System.out.printf("deleteRecords %d%ntransactions %d%n", trims.get(), transactions.get());
    }

    private Thread start(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (Throwable error) {
                failure = error;
            }
        });
        thread.start();
        return thread;
    }

    private boolean goesOn() {
        return failure == null && System.currentTimeMillis() < end;
    }

    private void create(String topic, int partitions, Map<String, String> given) throws Exception {
        Map<String, String> configs = new HashMap<>(given);
        configs.put("file.delete.delay.ms", "1000"); // of segments; directories stay as long as the broker's default
        for (int attempt = 0; ; attempt++) {
            try {
                admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(configs))).all().get();
                made.incrementAndGet();
                return;
            } catch (ExecutionException stillThere) {
                if (attempt == 100) {
                    throw stillThere;
                }
                Thread.sleep(50);
            }
        }
    }

    private KafkaProducer<byte[], byte[]> producer(String compression, String transactionalId) {
        Map<String, Object> configs = new HashMap<>(Map.of(
                "bootstrap.servers", servers, "compression.type", compression, "linger.ms", "5",
                "transaction.timeout.ms", "30000"));
        if (transactionalId != null) {
            configs.put("transactional.id", transactionalId);
        }
        return new KafkaProducer<>(configs, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private ProducerRecord<byte[], byte[]> record(String topic, int partition, Random random) {
        long number = written.incrementAndGet();
        byte[] key = ("key-" + random.nextInt(100)).getBytes(StandardCharsets.UTF_8);
        String value = topic + " " + number + " " + "x".repeat(random.nextInt(200));
        return new ProducerRecord<>(topic, partition, key, value.getBytes(StandardCharsets.UTF_8));
    }

    /** Writes so many records at a time, with pauses in between. */
    private void produce(String topic, int partitions, int most, String compression) throws Exception {
        Random random = new Random(topic.hashCode());
        try (KafkaProducer<byte[], byte[]> producer = producer(compression, null)) {
            while (goesOn()) {
                for (int left = random.nextInt(most) + 1; left > 0; left--) {
                    producer.send(record(topic, random.nextInt(partitions), random));
                }
                Thread.sleep(random.nextInt(10 * PAUSE_MS));
            }
        }
    }

    private void transact(String id, int most, int longestMs) throws Exception {
        Random random = new Random(id.hashCode());
        try (KafkaProducer<byte[], byte[]> producer = producer("none", id)) {
            producer.initTransactions();
            while (goesOn()) {
                producer.beginTransaction();
                for (int left = random.nextInt(most) + 1; left > 0; left--) {
                    producer.send(record("transactional", random.nextInt(2), random));
                }
                producer.flush();
                Thread.sleep(random.nextInt(longestMs));
                if (random.nextInt(3) == 0) {
                    producer.abortTransaction();
                } else {
                    producer.commitTransaction();
                }
                transactions.incrementAndGet();
            }
        }
    }

    private void trim() throws Exception {
        while (goesOn()) {
            for (int number = 0; number < 2; number++) {
                TopicPartition partition = new TopicPartition("trimmed", number);
                long to = admin.listOffsets(Map.of(partition, OffsetSpec.latest())).partitionResult(partition).get().offset();
                Thread.sleep(READ_MS);
                admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(to))).all().get();
                trims.incrementAndGet();
            }
        }
    }

    private void grow() throws Exception {
        Random random = new Random(1);
        try (KafkaProducer<byte[], byte[]> producer = producer("none", null)) {
            for (int count = 1; goesOn(); ) {
                for (int left = 20; left > 0 && goesOn(); left--) {
                    producer.send(record("grown", random.nextInt(count), random));
                    Thread.sleep(10 * PAUSE_MS);
                }
                if (count < 20) {
                    admin.createPartitions(Map.of("grown", NewPartitions.increaseTo(++count))).all().get();
                    for (int seen = 0; seen < count; ) {
                        seen = admin.describeTopics(List.of("grown")).allTopicNames().get().get("grown").partitions().size();
                    }
                }
            }
        }
    }

    /** Creates a topic, writes, deletes it, and creates the next one: under a new name, or under the same one. */
    private void churn(boolean again) throws Exception {
        Random random = new Random(2);
        for (int number = 0; goesOn(); number++) {
            String topic = again ? "again" : "made-" + number;
            create(topic, 2, Map.of());
            try (KafkaProducer<byte[], byte[]> producer = producer("none", null)) {
                for (int left = 50; left > 0; left--) {
                    producer.send(record(topic, random.nextInt(2), random));
                    Thread.sleep(random.nextInt(2 * PAUSE_MS));
                }
            }
            Thread.sleep(READ_MS);
            if (!goesOn()) {
                return;
            }
            admin.deleteTopics(List.of(topic)).all().get();
            deleted.incrementAndGet();
            Thread.sleep(again ? READ_MS : PAUSE_MS); // so that consumers notice that the topic was gone
        }
    }

    private void consume(String from, String level, Path file) throws Exception {
        Map<String, Object> configs = Map.of(
                "bootstrap.servers", from, "isolation.level", level, "auto.offset.reset", "earliest",
                "enable.auto.commit", "false");
        try (KafkaConsumer<byte[], byte[]> consumer =
                        new KafkaConsumer<>(configs, new ByteArrayDeserializer(), new ByteArrayDeserializer());
                Admin asked = Admin.create(Map.of("bootstrap.servers", from));
                BufferedWriter out = Files.newBufferedWriter(file)) {
            long next = 0;
            boolean isFirst = true;
            Set<TopicPartition> assigned = new HashSet<>();
            while (!isDone && failure == null) {
                if (System.currentTimeMillis() >= next) {
                    next = System.currentTimeMillis() + 200;
                    Set<TopicPartition> there = partitions(asked);
                    if (!there.equals(assigned)) {
                        consumer.assign(there);
                        List<TopicPartition> added = new ArrayList<>(there);
                        added.removeAll(assigned);
                        if (!added.isEmpty()) { // of none it would seek all
                            consumer.seekToBeginning(added);
                        }
                        assigned = there;
                    }
                }
                if (assigned.isEmpty()) {
                    Thread.sleep(PAUSE_MS);
                    continue;
                }
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    write(record, out);
                }
                if (isFirst) {
                    ready.countDown();
                    isFirst = false;
                }
            }
        }
    }

    private static void write(ConsumerRecord<byte[], byte[]> record, BufferedWriter out) throws IOException {
        String key = new String(record.key(), StandardCharsets.UTF_8);
        String value = new String(record.value(), StandardCharsets.UTF_8);
        out.write(record.topic() + "\t" + record.partition() + "\t" + record.offset() + "\t" + key + "\t" + value + "\n");
    }

    private static Set<TopicPartition> partitions(Admin asked) throws InterruptedException {
        Set<TopicPartition> found = new HashSet<>();
        try {
            for (TopicDescription topic : asked.describeTopics(asked.listTopics().names().get()).allTopicNames().get().values()) {
                for (TopicPartitionInfo partition : topic.partitions()) {
                    found.add(new TopicPartition(topic.name(), partition.partition()));
                }
            }
        } catch (ExecutionException vanished) {
            return partitions(asked); // a topic was deleted in between
        }
        return found;
    }
}
