import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Makes topics in a broker and fills them by Kafka's producer with its default settings. Arguments: the broker, and for
 * each topic NAME,CODEC,VALUE_BYTES,PARTITIONS,RECORDS_A_PARTITION,RECORDS_A_TRANSACTION. With 0 for the last there are
 * no transactions; else every fourth is aborted. A line of JSON for each topic describes the records sent.
 */
public final class RecordProducer {
    private static final long FIRST_TIMESTAMP = 1_700_000_000_000L;
    private static final int KEY_BYTES = 16;
    private static final int PAYLOADS = 20_000;
    private static final int ABORTED = 4;
    private static final int LEADER_SECONDS = 30;
    private static final String[] WORDS = ("checkout cart order payment refund shipment customer session login logout "
        + "page view click search product price discount coupon inventory warehouse delivery courier mobile desktop "
        + "tablet berlin london paris tokyo madrid oslo dublin error warning info debug pending complete failed").split(" ");

    private final Random random = new Random(42);
    private final String name;
    private final String codec;
    private final int valueBytes;
    private final int partitions;
    private final int recordsAPartition;
    private final int recordsATransaction;

    private RecordProducer(String[] topic) {
        name = topic[0];
        codec = topic[1];
        valueBytes = Integer.parseInt(topic[2]);
        partitions = Integer.parseInt(topic[3]);
        recordsAPartition = Integer.parseInt(topic[4]);
        recordsATransaction = Integer.parseInt(topic[5]);
    }

    public static void main(String[] arguments) throws Exception {
        for (String topic : List.of(arguments).subList(1, arguments.length)) {
            new RecordProducer(topic.split(",")).fill(arguments[0]);
        }
    }

    private void fill(String servers) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            // The records' times are years ago.
            NewTopic topic = new NewTopic(name, partitions, (short) 1).configs(Map.of("retention.ms", "-1"));
            admin.createTopics(List.of(topic)).all().get();
            // Until the leaders answer: a broker that refuses a producer's first batch and takes the next one, as it
            // becomes the leader meanwhile, refuses the first one for ever.
            Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
            for (int partition = 0; partition < partitions; partition++) {
                ends.put(new TopicPartition(name, partition), OffsetSpec.latest());
            }
            awaitLeaders(admin, ends);
        }
        byte[][] keys = new byte[PAYLOADS][];
        byte[][] values = new byte[PAYLOADS][];
        for (int i = 0; i < PAYLOADS; i++) {
            keys[i] = hex(KEY_BYTES).getBytes(StandardCharsets.US_ASCII);
            values[i] = event();
        }
        AtomicReference<Exception> failure = new AtomicReference<>();
        Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", servers, "compression.type", codec));
        if (recordsATransaction > 0) {
            settings.put("transactional.id", name);
        }
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            long sent = 0;
            if (recordsATransaction > 0) {
                producer.initTransactions();
            }
            for (int i = 0; i < recordsAPartition && failure.get() == null; i++) {
                for (int partition = 0; partition < partitions; partition++) {
                    if (recordsATransaction > 0 && sent++ % recordsATransaction == 0) {
                        end(producer, sent / recordsATransaction);
                        producer.beginTransaction();
                    }
                    int at = (i * partitions + partition) % PAYLOADS;
                    producer.send(new ProducerRecord<>(name, partition, FIRST_TIMESTAMP + i, keys[at], values[at]),
                        (place, problem) -> failure.compareAndSet(null, problem));
                }
            }
            if (recordsATransaction > 0) {
                producer.commitTransaction();
            }
        }
        if (failure.get() != null) {
            throw failure.get();
        }
        long records = (long) partitions * recordsAPartition;
        System.out.printf("{\"topic\": \"%s\", \"records\": %d, \"payloadBytes\": %d}%n",
            name, records, records * (KEY_BYTES + valueBytes));
    }

    /** Polls until a broker knows the partitions: it learns of a new topic after the controller has answered. */
    private static void awaitLeaders(Admin admin, Map<TopicPartition, OffsetSpec> ends) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LEADER_SECONDS);
        while (true) {
            try {
                admin.listOffsets(ends).all().get();
                return;
            } catch (ExecutionException problem) {
                boolean isKnownSoon = problem.getCause() instanceof UnknownTopicOrPartitionException;
                if (!isKnownSoon || System.nanoTime() > deadline) {
                    throw problem;
                }
                Thread.sleep(100);
            }
        }
    }

    /** Ends the transaction of a number, if it was begun. */
    private static void end(KafkaProducer<byte[], byte[]> producer, long number) {
        if (number % ABORTED == 1) {
            producer.flush(); // otherwise unsent records fail
            producer.abortTransaction();
        } else if (number > 0) {
            producer.commitTransaction();
        }
    }

    /** JSON of the wanted size; its last text is padded to fit. */
    private byte[] event() {
        StringBuilder text = new StringBuilder(valueBytes);
        text.append("{\"id\":\"").append(hex(8)).append("\",\"user\":").append(random.nextInt(1_000_000))
            .append(",\"note\":\"");
        while (text.length() < valueBytes - 2) {
            text.append(random.nextInt(3) == 0 ? hex(4) : WORDS[random.nextInt(WORDS.length)]).append(' ');
        }
        text.setLength(valueBytes - 2);
        return text.append("\"}").toString().getBytes(StandardCharsets.US_ASCII);
    }

    private String hex(int digits) {
        StringBuilder text = new StringBuilder(digits);
        for (int i = 0; i < digits; i++) {
            text.append(Character.forDigit(random.nextInt(16), 16));
        }
        return text.toString();
    }
}
