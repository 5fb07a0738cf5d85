import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.IntToLongFunction;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Makes topics and fills them by Kafka's own producers.
 *
 * <p>Prints a line {@code pause} when the cleaner is to finish before the rest is sent, and waits for a line; at the end
 * a line with topics and the numbers of records sent. One transaction is then open, and stays so.
 */
final class FillBroker {
    private static final long BEGIN = 1_700_000_000_000L;
    private static final int MEGABYTE = 1 << 20;
    private static final String[] CODECS = {"none", "gzip", "snappy", "lz4", "zstd"};
    private static final String[] HEADER_KEYS = {"", "k", "k", "trace-id", "\u00fc\u20ac", "\ud83d\ude00"};
    private static final int KEYS = 150;

    private final String servers;
    private final Random random = new Random(6);
    private final Map<String, Integer> sent = new TreeMap<>();
    private int unique;
    private final Map<String, Producer<byte[], byte[]>> plain = new HashMap<>();

    private FillBroker(String servers) {
        this.servers = servers;
    }

    public static void main(String[] arguments) throws Exception {
        FillBroker filling = new FillBroker(arguments[0]);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", arguments[0]))) {
            filling.fill(admin);
        }
        StringBuilder counts = new StringBuilder();
        filling.sent.forEach((topic, count) -> counts.append(' ').append(topic).append('=').append(count));
        System.out.println("sent" + counts);
        System.out.flush();
        Runtime.getRuntime().halt(0); // to close a producer would end its open transaction
    }

    private void fill(Admin admin) throws Exception {
        createTopics(admin);
        emptied(admin);
        compacted(3000);
        codecs();
        appendTime();
        bigValues();
        timestamps();
        for (String topic : List.of("deleted-records", "all-deleted", "retention")) {
            send(topic, 0, 4000, this::inOrder, 200, "snappy");
        }
        flush();
        deleteRecords(admin, "deleted-records", 1234);
        deleteRecords(admin, "all-deleted", -1);
        pause();
        compacted(1500);
        transactions();
        pause();
        openTransaction();
    }

    private static void createTopics(Admin admin) throws ExecutionException, InterruptedException {
        String small = "internal.segment.bytes";
        String policy = "cleanup.policy";
        Map<String, String> compaction = new HashMap<>(Map.of(
            policy, "compact", "min.cleanable.dirty.ratio", "0.01", small, "60000", "index.interval.bytes", "512"));
        Map<String, String> brief = new HashMap<>(compaction);
        brief.put("delete.retention.ms", "0");
        Map<String, String> compactionByAppendTime = new HashMap<>(compaction);
        compactionByAppendTime.put("message.timestamp.type", "LogAppendTime");
        List<NewTopic> topics = new ArrayList<>();
        topics.add(topic("codecs", 3, Map.of(small, "300000")));
        topics.add(topic("append-time", 2, Map.of("message.timestamp.type", "LogAppendTime", small, "200000")));
        topics.add(topic("big", 1, Map.of("max.message.bytes", "9000000")));
        topics.add(topic("timestamps.odd-1", 2, Map.of(
            "message.timestamp.after.max.ms", Long.toString(Long.MAX_VALUE), small, "20000", "index.interval.bytes", "0")));
        topics.add(topic("compacted", 2, brief));
        topics.add(topic("compacted-append-time", 1, compactionByAppendTime));
        topics.add(topic("compacted-transactions", 1, compaction));
        topics.add(topic("emptied", 1, Map.of(small, "60000", "min.cleanable.dirty.ratio", "0.01")));
        topics.add(topic("deleted-records", 1, Map.of(small, "100000")));
        topics.add(topic("all-deleted", 1, Map.of(small, "100000")));
        topics.add(topic("retention", 1, Map.of(small, "50000", "retention.bytes", "200000")));
        topics.add(topic("transactions", 2, Map.of(small, "40000", "index.interval.bytes", "512")));
        topics.add(topic("open-transaction", 2, Map.of()));
        topics.add(topic("empty", 2, Map.of()));
        admin.createTopics(topics).all().get();
    }

    private static NewTopic topic(String name, int partitions, Map<String, String> settings) {
        return new NewTopic(name, partitions, (short) 1).configs(settings);
    }

    private void codecs() {
        for (int partition = 0; partition < 3; partition++) {
            for (int round = 0; round < 10; round++) {
                send("codecs", partition, 600, this::jittered, 300);
            }
        }
    }

    private void appendTime() {
        for (int round = 0; round < 6; round++) {
            send("append-time", round % 2, 700, this::jittered, 150);
            flush();
        }
    }

    private void bigValues() {
        for (String codec : CODECS) {
            for (int size : new int[] {MEGABYTE / 2, 3 * MEGABYTE, 7 * MEGABYTE}) {
                byte[] value = size > 4 * MEGABYTE ? text(size) : bytes(size);
                send(producer(codec), new ProducerRecord<>("big", 0, BEGIN + size, bytes(20), value, headers(2)));
            }
        }
        flush();
    }

    private void timestamps() {
        long[] odd = {0, 1, BEGIN, BEGIN + 5_000, BEGIN - 5_000, 4_102_444_800_000L, 253_402_300_799_999L, BEGIN};
        for (int round = 0; round < 40; round++) {
            send("timestamps.odd-1", 0, 25, i -> BEGIN + random.nextInt(2_000_000) - 1_000_000, 40);
            flush();
        }
        for (int round = 0; round < 60; round++) {
            send("timestamps.odd-1", 1, 5, i -> odd[random.nextInt(odd.length)], 40);
            flush();
        }
    }

    private void compacted(int count) {
        for (int round = 0; round < count; round++) {
            String codec = CODECS[round / 20 % CODECS.length];
            for (int partition = 0; partition < 2; partition++) {
                send(producer(codec), keyed("compacted", partition, round));
            }
            send(producer(codec), keyed("compacted-append-time", 0, round));
        }
        flush();
        String topic = "compacted-transactions";
        try (Producer<byte[], byte[]> producer = transactional("compactor")) {
            for (int round = 0; round < count / 15; round++) {
                producer.beginTransaction();
                for (int i = 0; i < 15; i++) {
                    send(producer, keyed(topic, 0, round * 15 + i));
                }
                end(producer, round % 3 == 1);
            }
        }
    }

    /** The cleaner leaves nothing of the first segments; it goes over them once, as the next time it would join them. */
    private void emptied(Admin admin) throws ExecutionException, InterruptedException {
        for (int i = 0; i < 2500; i++) {
            byte[] key = {(byte) (i % 10)};
            send(producer("none"), new ProducerRecord<>("emptied", 0, inOrder(i), key, text(100)));
        }
        flush();
        ConfigEntry compact = new ConfigEntry("cleanup.policy", "compact");
        admin.incrementalAlterConfigs(Map.of(
            new ConfigResource(ConfigResource.Type.TOPIC, "emptied"),
            List.of(new AlterConfigOp(compact, AlterConfigOp.OpType.SET)))).all().get();
    }

    private ProducerRecord<byte[], byte[]> keyed(String topic, int partition, int i) {
        // What is sent only once stays: so no segment of partition 0 is emptied.
        boolean once = partition == 0 && i % 50 == 0;
        String key = once ? "once-" + unique++ : "key-" + random.nextInt(KEYS);
        byte[] value = !once && random.nextInt(8) == 0 ? null : text(random.nextInt(250));
        byte[] keyBytes = key.getBytes(StandardCharsets.UTF_8);
        return new ProducerRecord<>(topic, partition, jittered(i), keyBytes, value, headers(random.nextInt(3)));
    }

    /** Three transactional producers and a plain one, in an order that a seeded lot decides. */
    private void transactions() {
        List<Producer<byte[], byte[]>> producers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            producers.add(transactional("transactional-" + i));
        }
        boolean[] open = new boolean[producers.size()];
        for (int step = 0; step < 200; step++) {
            int who = random.nextInt(producers.size() + 1);
            if (who == producers.size()) {
                send("transactions", random.nextInt(2), 1 + random.nextInt(5), this::inOrder, 100);
                flush();
                continue;
            }
            Producer<byte[], byte[]> producer = producers.get(who);
            if (!open[who]) {
                producer.beginTransaction();
                open[who] = true;
            }
            int partition = random.nextInt(2);
            for (int i = random.nextInt(40); i >= 0; i--) {
                send(producer, record("transactions", partition, inOrder(step), 100));
            }
            producer.flush();
            if (random.nextInt(3) == 0) {
                end(producer, random.nextBoolean());
                open[who] = false;
            }
        }
        for (int who = 0; who < open.length; who++) {
            if (open[who]) {
                end(producers.get(who), who > 0);
            }
            producers.get(who).close();
        }
    }

    private void openTransaction() {
        String topic = "open-transaction";
        send(topic, 0, 20, this::inOrder, 100);
        send(topic, 1, 20, this::inOrder, 100);
        flush();
        Producer<byte[], byte[]> forever = transactional("never-ended");
        forever.beginTransaction();
        for (int i = 0; i < 10; i++) {
            send(forever, record(topic, 0, inOrder(30 + i), 100));
        }
        forever.flush();
        try (Producer<byte[], byte[]> later = transactional("later")) {
            for (int round = 0; round < 4; round++) {
                later.beginTransaction();
                for (int i = 0; i < 10; i++) {
                    send(later, record(topic, i % 2, inOrder(50 + 10 * round + i), 100));
                }
                end(later, round % 2 == 0);
            }
        }
        send(topic, 0, 20, i -> inOrder(100 + i), 100);
        flush();
    }

    private void deleteRecords(Admin admin, String topic, long before) throws ExecutionException, InterruptedException {
        TopicPartition partition = new TopicPartition(topic, 0);
        admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(before))).all().get();
    }

    private static void end(Producer<byte[], byte[]> producer, boolean abort) {
        if (abort) {
            producer.flush(); // records still in the buffer would never be sent
            producer.abortTransaction();
        } else {
            producer.commitTransaction();
        }
    }

    private void send(String topic, int partition, int count, IntToLongFunction timestamp, int size) {
        send(topic, partition, count, timestamp, size, CODECS[random.nextInt(CODECS.length)]);
    }

    private void send(
            String topic, int partition, int count, IntToLongFunction timestamp, int size, String codec) {
        Producer<byte[], byte[]> producer = producer(codec);
        for (int i = 0; i < count; i++) {
            send(producer, record(topic, partition, timestamp.applyAsLong(i), size));
        }
    }

    private void send(Producer<byte[], byte[]> producer, ProducerRecord<byte[], byte[]> record) {
        sent.merge(record.topic(), 1, Integer::sum);
        producer.send(record, (place, failure) -> {
            if (failure != null) {
                failure.printStackTrace();
                Runtime.getRuntime().halt(1);
            }
        });
    }

    private ProducerRecord<byte[], byte[]> record(String topic, int partition, long timestamp, int size) {
        byte[] key = random.nextInt(5) == 0 ? null : bytes(random.nextInt(20));
        byte[] value = switch (random.nextInt(10)) {
            case 0 -> null;
            case 1 -> new byte[0];
            case 2 -> bytes(random.nextInt(2 * size));
            default -> text(random.nextInt(2 * size));
        };
        return new ProducerRecord<>(topic, partition, timestamp, key, value, headers(Math.max(0, random.nextInt(7) - 3)));
    }

    private long inOrder(int i) {
        return BEGIN + 100L * i;
    }

    private long jittered(int i) {
        return BEGIN + 100L * i + random.nextInt(3000);
    }

    private List<Header> headers(int count) {
        List<Header> headers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] value = random.nextInt(4) == 0 ? null : bytes(random.nextInt(6));
            headers.add(new RecordHeader(HEADER_KEYS[random.nextInt(HEADER_KEYS.length)], value));
        }
        return headers;
    }

    private byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] text(int size) {
        byte[] text = new byte[size];
        for (int i = 0; i < size; i++) {
            text[i] = (byte) (i % 7 == 0 ? 'a' + random.nextInt(26) : 'e');
        }
        return text;
    }

    private Producer<byte[], byte[]> producer(String codec) {
        // The producer of gzip is the one that is not idempotent.
        return plain.computeIfAbsent(codec, name -> connect(Map.of(
            "compression.type", name, "enable.idempotence", Boolean.toString(!name.equals("gzip")), "max.in.flight.requests.per.connection", "1")));
    }

    private Producer<byte[], byte[]> transactional(String id) {
        String codec = CODECS[random.nextInt(CODECS.length)];
        Producer<byte[], byte[]> producer = connect(Map.of(
            "compression.type", codec, "transactional.id", id, "transaction.timeout.ms", "900000"));
        producer.initTransactions();
        return producer;
    }

    private Producer<byte[], byte[]> connect(Map<String, Object> settings) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put("bootstrap.servers", servers);
        all.put("linger.ms", "5");
        all.put("max.request.size", Integer.toString(9 * MEGABYTE));
        return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private void flush() {
        plain.values().forEach(Producer::flush);
    }

    private static void pause() throws IOException {
        System.out.println("pause");
        System.out.flush();
        if (System.in.read() < 0) {
            throw new IOException("nobody waits for the rest");
        }
    }
}
