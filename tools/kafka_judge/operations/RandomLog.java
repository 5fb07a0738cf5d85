import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import kafka_judge.AtOnce;
import kafka_judge.StoppedClock;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.storage.internals.checkpoint.CleanShutdownFileHandler;
import org.apache.kafka.storage.internals.checkpoint.OffsetCheckpointFile;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.LogStartOffsetIncrementReason;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

/**
 * A log directory with one partition that Kafka's UnifiedLog writes at random, as a follower, under a clock of ours.
 *
 * <p>Configs are those of a topic as LogConfig has them.
 */
final class RandomLog {
    static final TopicPartition PARTITION = new TopicPartition("topic", 0);
    static final long BEGIN = 1_700_000_000_000L;
    static final long HOUR = 3_600_000;
    static final LogDirFailureChannel FAILURES = new LogDirFailureChannel(1);

    static final Uuid TOPIC_ID = new Uuid(4, 31);
    static final BrokerTopicStats STATS = new BrokerTopicStats();
    private static final int MOST_TRANSACTION_MS = 900_000;
    private static final List<Compression> CODECS = List.of(
        Compression.gzip().build(), Compression.snappy().build(), Compression.lz4().build(), Compression.zstd().build());

    final Random chance;
    final File logDir;
    final StoppedClock clock = new StoppedClock(BEGIN);
    final Map<String, String> configs = new TreeMap<>();
    int producerExpirationMs = (int) (24 * HOUR);
    long logStartOffset;

    private final List<Producer> producers = new ArrayList<>();
    private final double compressed;
    private final double withoutKey;
    private final double withoutTimestamp;
    private final boolean isOld;
    private final int keys;
    private int leaderEpoch;

    RandomLog(Random chance, File logDir) throws IOException {
        this.chance = chance;
        this.logDir = logDir;
        Files.createDirectories(directory().toPath());
        compressed = pick(0.0, 0.0, 0.3);
        withoutKey = pick(0.0, 0.0, 0.05, 0.5);
        withoutTimestamp = pick(0.0, 0.0, 0.0, 0.3);
        isOld = chance.nextInt(8) == 0;
        keys = pick(2, 5, 12, 60);
        for (int id = 0; id < 4; id++) {
            producers.add(new Producer(1000 + id));
        }
    }

    @SafeVarargs
    final <T> T pick(T... choices) {
        return choices[chance.nextInt(choices.length)];
    }

    File directory() {
        return new File(logDir, PARTITION.toString());
    }

    /** Sets the configs by which a topic's log is written. */
    void configure(int segmentBytes, int indexBytes) {
        configs.put("internal.segment.bytes", Integer.toString(segmentBytes));
        configs.put("segment.index.bytes", Integer.toString(indexBytes));
        configs.put("index.interval.bytes", Integer.toString(pick(0, 300, 4096)));
        configs.put("file.delete.delay.ms", "0");
        if (chance.nextInt(3) == 0) {
            configs.put("segment.ms", Long.toString(chance.nextInt((int) (10 * HOUR)) + 1));
        }
    }

    /** Whether all batches are of format 2, and have timestamps: without one a producer expires at once. */
    boolean isModern() {
        return withoutTimestamp == 0 && !isOld;
    }

    /** Configs as known to the reader of the disk. */
    ObjectNode asked() {
        ObjectNode asked = JsonNodeFactory.instance.objectNode();
        configs.forEach((config, value) -> asked.put(config.replace("internal.", ""), value));
        return asked;
    }

    /** Moves high watermark and log start to permitted offsets; returns the high watermark. */
    long settle(UnifiedLog log) throws IOException {
        long highWatermark = log.logEndOffset();
        if (chance.nextInt(3) == 0) {
            highWatermark -= (long) ((highWatermark - log.logStartOffset()) * chance.nextDouble());
        }
        log.updateHighWatermark(highWatermark);
        if (chance.nextInt(6) == 0) {
            long start = log.logStartOffset() + (long) ((highWatermark - log.logStartOffset()) * chance.nextDouble());
            log.maybeIncrementLogStartOffset(start, LogStartOffsetIncrementReason.ClientRecordDeletion);
        }
        return highWatermark;
    }

    UnifiedLog open() throws IOException {
        return open(logDir);
    }

    UnifiedLog open(File copy) throws IOException {
        return UnifiedLog.create(
            new File(copy, PARTITION.toString()), new LogConfig(configs), logStartOffset, logStartOffset, new AtOnce(), STATS, clock,
            MOST_TRANSACTION_MS, new ProducerStateManagerConfig(producerExpirationMs, false), Integer.MAX_VALUE, FAILURES,
            true, Optional.of(TOPIC_ID));
    }

    /** Closes a log as a clean shutdown does, with random file times; the cleaner's checkpoint is unchanged. */
    void close(UnifiedLog log, long highWatermark) throws Exception {
        logStartOffset = log.logStartOffset();
        checkpoint("replication-offset-checkpoint", highWatermark);
        checkpoint("log-start-offset-checkpoint", logStartOffset);
        checkpoint("recovery-point-offset-checkpoint", log.logEndOffset());
        close(log);
        new CleanShutdownFileHandler(logDir.getPath()).write(1L);
        for (File file : directory().listFiles((where, name) -> name.endsWith(".log"))) {
            if (chance.nextInt(3) == 0 && !file.setLastModified(clock.now - chance.nextInt((int) (30 * HOUR)))) {
                throw new IOException("the time of " + file + " stays");
            }
        }
    }

    static void close(UnifiedLog log) throws IOException {
        log.flush(true);
        log.activeSegment().onBecomeInactiveSegment();  // as releases before 4.4 closed it; 4.4 leaves it as it is
        log.close();
    }

    void checkpoint(String name, long offset) throws IOException {
        new OffsetCheckpointFile(new File(logDir, name), FAILURES).write(Map.of(PARTITION, offset));
    }

    /** Appends steps: batches, markers, jumps of the offset, segments rolled, hours that pass. */
    void append(UnifiedLog log, int steps) throws IOException {
        for (int step = 0; step < steps; step++) {
            clock.now += chance.nextInt(4) == 0 ? chance.nextInt((int) HOUR) : chance.nextInt(1000);
            long offset = log.logEndOffset();
            if (chance.nextInt(25) == 0) {
                offset += 1 + chance.nextInt(20);
            } else if (chance.nextInt(400) == 0) {
                offset += Integer.MAX_VALUE;
            }
            if (chance.nextInt(12) == 0) {
                leaderEpoch += 1 + chance.nextInt(2);
            }
            int kind = chance.nextInt(100);
            if (kind < 5) {
                log.roll();
            } else if (isOld && kind < 70) {
                append(log, old(offset));
            } else if (kind < 50) {
                append(log, batch(offset, null));
            } else {
                Producer producer = pick(producers.toArray(Producer[]::new));
                append(log, producer.isInTransaction && kind > 80 ? marker(offset, producer) : batch(offset, producer));
            }
        }
    }

    private static void append(UnifiedLog log, MemoryRecords records) {
        log.appendAsFollower(records, Integer.MAX_VALUE);
    }

    private MemoryRecords batch(long offset, Producer producer) {
        TimestampType type = chance.nextInt(10) == 0 ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
        long producerId = RecordBatch.NO_PRODUCER_ID;
        short epoch = RecordBatch.NO_PRODUCER_EPOCH;
        int sequence = RecordBatch.NO_SEQUENCE;
        boolean isTransactional = false;
        int count = 1 + chance.nextInt(pick(1, 3, 6));
        if (producer != null) {
            if (!producer.isInTransaction) {
                if (chance.nextInt(8) == 0) {
                    producer.epoch++;
                    producer.sequence = 0;
                }
                producer.isInTransaction = chance.nextBoolean();
            }
            producerId = producer.id;
            epoch = producer.epoch;
            sequence = producer.sequence;
            isTransactional = producer.isInTransaction;
            producer.sequence += count;
        }
        MemoryRecordsBuilder builder = MemoryRecords.builder(
            ByteBuffer.allocate(1024), RecordBatch.MAGIC_VALUE_V2, codec(), type, offset, clock.now, producerId, epoch, sequence,
            isTransactional, false, leaderEpoch);
        return filled(builder, offset, count);
    }

    private MemoryRecords old(long offset) {
        boolean hasTimes = chance.nextBoolean();
        Compression codec = codec();
        int count = codec == Compression.NONE ? 1 : 1 + chance.nextInt(5);
        MemoryRecordsBuilder builder = MemoryRecords.builder(
            ByteBuffer.allocate(1024), hasTimes ? RecordBatch.MAGIC_VALUE_V1 : RecordBatch.MAGIC_VALUE_V0,
            codec.type().name.equals("zstd") ? Compression.NONE : codec,
            hasTimes ? TimestampType.CREATE_TIME : TimestampType.NO_TIMESTAMP_TYPE, offset, RecordBatch.NO_TIMESTAMP);
        return filled(builder, offset, codec.type().name.equals("zstd") ? 1 : count);
    }

    private MemoryRecords filled(MemoryRecordsBuilder builder, long offset, int count) {
        long next = offset;
        for (int number = 0; number < count; number++) {
            boolean isOldFormat = builder.magic() < RecordBatch.MAGIC_VALUE_V2;
            Header[] headers = isOldFormat || chance.nextInt(6) > 0 ? new Header[0] : headers();
            long timestamp = builder.magic() == RecordBatch.MAGIC_VALUE_V0 ? RecordBatch.NO_TIMESTAMP : timestamp();
            builder.appendWithOffset(next, timestamp, key(), value(), headers);
            next += isOldFormat || chance.nextInt(20) > 0 ? 1 : 1 + chance.nextInt(3);
        }
        return builder.build();
    }

    private MemoryRecords marker(long offset, Producer producer) {
        producer.isInTransaction = false;
        ControlRecordType type = chance.nextInt(3) == 0 ? ControlRecordType.COMMIT : ControlRecordType.ABORT;
        if (chance.nextInt(4) == 0) {  // KIP-890: the marker has the next epoch
            producer.epoch++;
            producer.sequence = 0;
        }
        return MemoryRecords.withEndTransactionMarker(
            offset, clock.now, leaderEpoch, producer.id, producer.epoch, new EndTransactionMarker(type, 0));
    }

    private Compression codec() {
        return chance.nextDouble() < compressed ? CODECS.get(chance.nextInt(CODECS.size())) : Compression.NONE;
    }

    private long timestamp() {
        if (chance.nextDouble() < withoutTimestamp) {
            return RecordBatch.NO_TIMESTAMP;
        }
        long before = chance.nextInt(5) == 0 ? chance.nextInt((int) (48 * HOUR)) - HOUR : chance.nextInt(1000);
        return clock.now - before;
    }

    private byte[] key() {
        if (chance.nextDouble() < withoutKey) {
            return chance.nextInt(4) == 0 ? new byte[0] : null;
        }
        return ("key-" + chance.nextInt(keys)).getBytes(StandardCharsets.UTF_8);
    }

    private byte[] value() {
        return chance.nextInt(5) == 0 ? null : "v".repeat(chance.nextInt(pick(4, 60, 200))).getBytes(StandardCharsets.UTF_8);
    }

    private Header[] headers() {
        byte[] value = value();
        return new Header[] {new RecordHeader("header-" + chance.nextInt(3), value), new RecordHeader("", new byte[] {1})};
    }

    /** Copies a log directory with the times of its files. */
    static void copy(File from, File to) throws IOException {
        try (Stream<Path> paths = Files.walk(from.toPath())) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                Files.copy(
                    path, to.toPath().resolve(from.toPath().relativize(path)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    static List<Long> baseOffsets(UnifiedLog log) {
        return log.logSegments().stream().map(LogSegment::baseOffset).toList();
    }

    /** A producer as its own client sees it. */
    private static final class Producer {
        private final long id;
        private short epoch;
        private int sequence;
        private boolean isInTransaction;

        Producer(long id) {
            this.id = id;
        }
    }
}
