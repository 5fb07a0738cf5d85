import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.message.KRaftVersionRecord;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.message.SnapshotFooterRecord;
import org.apache.kafka.common.message.SnapshotHeaderRecord;
import org.apache.kafka.common.message.VotersRecord;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;

/** Writes segments with Kafka's own builder: every format with every codec, in every shape that the builder makes. */
final class FreshSegments {
    private static final long NOW = 1_700_000_000_000L;
    private static final int BATCHES = 3;
    private static final int LARGEST_VALUE = 150_000;
    private static final Header[] NO_HEADERS = new Header[0];
    private static final String[] HEADER_KEYS = {"", "k", "trace-id", "\u00fc", "\u20ac", "\ud83d\ude00", "a\u0000b"};
    private static final TimestampType CREATE = TimestampType.CREATE_TIME;
    private static final TimestampType APPEND = TimestampType.LOG_APPEND_TIME;

    private final Path directory;
    private final long seed;
    private Random random;
    private OutputStream file;
    private byte magic;
    private CompressionType codec;
    private long offset;

    private FreshSegments(Path directory, long seed) {
        this.directory = directory;
        this.seed = seed;
    }

    static void make(Path directory, long seed) throws IOException {
        FreshSegments segments = new FreshSegments(directory, seed);
        for (byte magic = 0; magic <= 2; magic++) {
            for (CompressionType codec : CompressionType.values()) {
                if (codec != CompressionType.ZSTD || magic == 2) {
                    segments.makeAll(magic, codec);
                }
            }
        }
    }

    private void makeAll(byte magic, CompressionType codec) throws IOException {
        this.magic = magic;
        this.codec = codec;
        segment("tiny", () -> batch(CREATE, 1 + random.nextInt(200), i -> bytes(random.nextInt(4))));
        segment("large", () -> batch(CREATE, 3, i -> text(1 + random.nextInt(LARGEST_VALUE))));
        segment("random", () -> batch(CREATE, 3, i -> bytes(1 + random.nextInt(LARGEST_VALUE))));
        segment("typical", () -> batch(CREATE, 20, i -> text(200)));
        segment("gaps", this::gaps);
        segment("timestamps", this::timestamps);
        if (magic >= 1) {
            segment("log-append-time", () -> batch(APPEND, 5, i -> text(20)));
        }
        if (magic == 2) {
            segment("negative-timestamps", this::negativeTimestamps);
            segment("producer", this::producer);
            segment("delete-horizon", this::deleteHorizon);
            segment("overridden-last-offset", this::overriddenLastOffset);
            segment("transaction-markers", this::transactionMarkers);
            segment("metadata-control", this::metadataControl);
        }
    }

    private interface Batch {
        void write() throws IOException;
    }

    private interface Value {
        byte[] of(int number);
    }

    private void segment(String shape, Batch batch) throws IOException {
        String name = shape + "-v" + magic + "-" + codec.name;
        random = new Random(seed + name.hashCode());
        offset = random.nextInt(3) == 0 ? 5_000_000_000L : random.nextInt(100);
        try (OutputStream opened = Files.newOutputStream(directory.resolve(name + ".log"))) {
            file = opened;
            for (int i = 0; i < BATCHES; i++) {
                batch.write();
            }
        }
    }

    /** The differences of a batch from the builder's defaults. */
    private final class Options {
        TimestampType timestampType = CREATE;
        long producerId = RecordBatch.NO_PRODUCER_ID;
        short producerEpoch = RecordBatch.NO_PRODUCER_EPOCH;
        int sequence = RecordBatch.NO_SEQUENCE;
        boolean transactional;
        boolean control;
        long deleteHorizon = RecordBatch.NO_TIMESTAMP;
    }

    private void build(Options options, Consumer<MemoryRecordsBuilder> fill) throws IOException {
        long logAppendTime = options.timestampType == APPEND ? NOW + random.nextInt(1000) : RecordBatch.NO_TIMESTAMP;
        int leaderEpoch = magic == 2 ? random.nextInt(5) - (options.control ? 0 : 1) : RecordBatch.NO_PARTITION_LEADER_EPOCH;
        try (MemoryRecordsBuilder builder = new MemoryRecordsBuilder(new ByteBufferOutputStream(1024), magic,
                Compression.of(codec).build(), magic == 0 ? TimestampType.NO_TIMESTAMP_TYPE : options.timestampType,
                offset, logAppendTime, options.producerId, options.producerEpoch, options.sequence,
                options.transactional, options.control, leaderEpoch, 1 << 20, options.deleteHorizon)) {
            fill.accept(builder);
            ByteBuffer built = builder.build().buffer();
            WritableByteChannel channel = Channels.newChannel(file);
            while (built.hasRemaining()) {
                channel.write(built);
            }
        }
    }

    private void append(MemoryRecordsBuilder builder, long timestamp, byte[] value) {
        builder.appendWithOffset(offset++, magic == 0 ? RecordBatch.NO_TIMESTAMP : timestamp, key(), value, headers());
    }

    private void batch(TimestampType timestampType, int count, Value values) throws IOException {
        Options options = new Options();
        options.timestampType = timestampType;
        build(options, builder -> {
            for (int i = 0; i < count; i++) {
                append(builder, NOW + i, random.nextInt(8) == 0 ? null : values.of(i));
            }
        });
    }

    private void gaps() throws IOException {
        build(new Options(), builder -> {
            for (int i = 0; i < 12; i++) {
                offset += random.nextInt(3) == 0 ? random.nextInt(1_000_000) : random.nextInt(2);
                append(builder, NOW, bytes(5));
            }
        });
        offset += random.nextInt(1000);
    }

    private void timestamps() throws IOException {
        long[] odd = {-1, 0, 1, NOW, NOW - 1, Long.MAX_VALUE, Long.MAX_VALUE - 1, 1L << 32, 253_402_300_800_000L};
        build(new Options(), builder -> {
            for (int i = 0; i < 12; i++) {
                append(builder, odd[random.nextInt(odd.length)], bytes(3));
            }
        });
    }

    private void negativeTimestamps() throws IOException {
        long[] odd = {-2, -1, 0, -NOW, Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MAX_VALUE, -62_135_596_800_001L};
        build(new Options(), builder -> {
            append(builder, random.nextInt(2) == 0 ? -1 : NOW, bytes(3)); // of the first one the builder is particular
            for (int i = 0; i < 8; i++) {
                SimpleRecord record = new SimpleRecord(odd[random.nextInt(odd.length)], key(), bytes(3), headers());
                try {
                    builder.appendUncheckedWithOffset(offset++, record);
                } catch (IOException impossible) {
                    throw new IllegalStateException(impossible);
                }
            }
        });
    }

    /** Sequences, some of which wrap to 0 in the middle of a batch. */
    private Options ofProducer() {
        Options options = new Options();
        options.producerId = random.nextInt(2) == 0 ? random.nextInt(1000) : random.nextLong() & Long.MAX_VALUE;
        options.producerEpoch = (short) (random.nextInt(2) == 0 ? 0 : random.nextInt(Short.MAX_VALUE));
        options.sequence = random.nextInt(2) == 0 ? Integer.MAX_VALUE - random.nextInt(6) : random.nextInt(1000);
        return options;
    }

    private void producer() throws IOException {
        Options options = ofProducer();
        options.transactional = random.nextBoolean();
        build(options, builder -> {
            for (int i = 0; i < 6; i++) {
                append(builder, NOW - i, bytes(i));
            }
        });
    }

    private void deleteHorizon() throws IOException {
        Options options = random.nextBoolean() ? new Options() : ofProducer();
        options.deleteHorizon = NOW + random.nextInt(1_000_000);
        build(options, builder -> {
            for (int i = 0; i < 4; i++) {
                append(builder, NOW + i, null);
            }
        });
    }

    /** As compaction leaves it: the last offset of the batch is higher than that of its last record. */
    private void overriddenLastOffset() throws IOException {
        build(new Options(), builder -> {
            append(builder, NOW, bytes(9));
            append(builder, NOW, bytes(9));
            offset += random.nextInt(1000);
            builder.overrideLastOffset(offset++);
        });
    }

    private void transactionMarkers() throws IOException {
        Options options = ofProducer();
        options.transactional = true;
        options.control = true;
        ControlRecordType type = random.nextBoolean() ? ControlRecordType.COMMIT : ControlRecordType.ABORT;
        build(options, builder -> {
            builder.appendEndTxnMarker(NOW, new EndTransactionMarker(type, random.nextInt(100)));
            offset++;
        });
    }

    private void metadataControl() throws IOException {
        Options options = new Options();
        options.control = true;
        List<Consumer<MemoryRecordsBuilder>> messages = new ArrayList<>();
        messages.add(builder -> builder.appendLeaderChangeMessage(NOW, new LeaderChangeMessage().setLeaderId(3)));
        messages.add(builder -> builder.appendSnapshotHeaderMessage(NOW, new SnapshotHeaderRecord()));
        messages.add(builder -> builder.appendSnapshotFooterMessage(NOW, new SnapshotFooterRecord()));
        messages.add(builder -> builder.appendKRaftVersionMessage(NOW, new KRaftVersionRecord().setKRaftVersion((short) 1)));
        messages.add(builder -> builder.appendVotersMessage(NOW, new VotersRecord()));
        for (Consumer<MemoryRecordsBuilder> message : messages) {
            build(options, message);
            offset++;
        }
    }

    private byte[] key() {
        int kind = random.nextInt(4);
        return kind == 0 ? null : bytes(kind == 1 ? 0 : random.nextInt(40));
    }

    private Header[] headers() {
        if (magic < 2 || random.nextInt(3) > 0) {
            return NO_HEADERS;
        }
        Header[] headers = new Header[random.nextInt(5)];
        for (int i = 0; i < headers.length; i++) {
            byte[] value = random.nextInt(3) == 0 ? null : bytes(random.nextInt(9));
            headers[i] = new RecordHeader(HEADER_KEYS[random.nextInt(HEADER_KEYS.length)], value);
        }
        return headers;
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Bytes that compress well. */
    private byte[] text(int length) {
        StringBuilder text = new StringBuilder(length + 20);
        while (text.length() < length) {
            text.append("order=").append(random.nextInt(1000)).append(";paid=").append(random.nextBoolean()).append(' ');
        }
        return text.substring(0, length).getBytes(StandardCharsets.UTF_8);
    }
}
