import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionRatioEstimator;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.ByteBufferOutputStream;

/**
 * Writes segments with Kafka's own builder, whose batches are filled as the producer fills them: the compressed batch
 * comes near to batch.size. Arguments: directory, MB of records before compression, and names such as typical-zstd,
 * typical1m-none (batches of 1 MB instead of 16 KB), typical1k-none (of 1 KB), typical-lz4-v1, typical-zstd@4 (so many
 * MB instead). A line of JSON for each describes its content.
 */
public final class SegmentMaker {
    private static final long FIRST_TIMESTAMP = 1_700_000_000_000L;
    private static final Header[] NO_HEADERS = new Header[0];
    private static final Pattern NAME = Pattern.compile("([a-z]+)(1k|1m)?-([a-z0-9]+?)(?:-v([01]))?(?:@(\\d+))?");

    private final String name;
    private final byte magic;
    private final CompressionType codec;
    private final int batchSize;
    private final long megabytes;
    private final Payloads payloads;
    private ByteBuffer buffer;
    private long offset;
    private long timestamp = FIRST_TIMESTAMP;

    private SegmentMaker(String name, long usualMegabytes) {
        Matcher parts = NAME.matcher(name);
        if (!parts.matches()) {
            throw new IllegalArgumentException("no such segment: " + name);
        }
        this.name = name;
        payloads = new Payloads(parts.group(1));
        batchSize = parts.group(2) == null ? 1 << 14 : parts.group(2).equals("1m") ? 1 << 20 : 1 << 10;
        codec = CompressionType.forName(parts.group(3));
        magic = parts.group(4) == null ? RecordBatch.CURRENT_MAGIC_VALUE : Byte.parseByte(parts.group(4));
        megabytes = parts.group(5) == null ? usualMegabytes : Long.parseLong(parts.group(5));
        buffer = ByteBuffer.allocate(batchSize);
    }

    public static void main(String[] arguments) throws IOException {
        File directory = new File(arguments[0]);
        for (int i = 2; i < arguments.length; i++) {
            new SegmentMaker(arguments[i], Long.parseLong(arguments[1])).make(directory);
        }
    }

    private void make(File directory) throws IOException {
        File unfinished = new File(directory, name + ".unfinished");
        Files.deleteIfExists(unfinished.toPath());
        long raw = 0;
        long batches = 0;
        try (FileRecords file = FileRecords.open(unfinished, true)) {
            for (; raw < megabytes << 20; batches++) {
                raw += appendBatch(file);
            }
        }
        File finished = new File(directory, name + ".log");
        Files.move(unfinished.toPath(), finished.toPath(), StandardCopyOption.REPLACE_EXISTING);
        System.out.printf("{\"name\": \"%s\", \"bytes\": %d, \"rawBytes\": %d, \"records\": %d, \"batches\": %d}%n",
            name, finished.length(), raw, offset, batches);
    }

    /** Returns the size of its records before compression. */
    private int appendBatch(FileRecords file) throws IOException {
        buffer.clear();
        ByteBufferOutputStream output = new ByteBufferOutputStream(buffer);
        MemoryRecordsBuilder batch = new MemoryRecordsBuilder(output, magic, Compression.of(codec).build(),
            magic == RecordBatch.MAGIC_VALUE_V0 ? TimestampType.NO_TIMESTAMP_TYPE : TimestampType.CREATE_TIME, offset,
            RecordBatch.NO_TIMESTAMP, RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH,
            RecordBatch.NO_SEQUENCE, false, false, 0, batchSize);
        batch.setEstimatedCompressionRatio(CompressionRatioEstimator.estimation(name, codec));
        do {
            batch.appendWithOffset(offset++, magic == RecordBatch.MAGIC_VALUE_V0 ? RecordBatch.NO_TIMESTAMP : timestamp,
                payloads.key(), payloads.value(), headers());
            timestamp += offset % 3;
            payloads.advance();
        } while (batch.hasRoomFor(timestamp, payloads.key(), payloads.value(), headers()));
        file.append(batch.build());
        if (codec != CompressionType.NONE) {
            CompressionRatioEstimator.updateEstimation(name, codec, (float) batch.compressionRatio());
        }
        if (output.buffer().capacity() == batchSize) {
            buffer = output.buffer();
        }
        return batch.uncompressedBytesWritten();
    }

    private Header[] headers() {
        return magic == RecordBatch.CURRENT_MAGIC_VALUE ? payloads.headers() : NO_HEADERS;
    }

    /** The content of a shape's records, the same in every run; it repeats when it ends. */
    private static final class Payloads {
        private static final String[] WORDS = ("checkout cart order payment refund shipment customer session login logout "
            + "page view click search product price discount coupon inventory warehouse delivery courier mobile desktop "
            + "tablet chrome firefox safari berlin london paris tokyo madrid oslo dublin austin boston denver error "
            + "warning info debug pending complete failed").split(" ");

        private final Random random = new Random(42);
        private final byte[][] keys;
        private final byte[][] values;
        private final Header[][] headers;
        private int current;

        Payloads(String shape) {
            int count = shape.equals("large") ? 4_000 : 200_000;
            keys = new byte[count][];
            values = new byte[count][];
            headers = new Header[count][];
            for (int i = 0; i < count; i++) {
                headers[i] = NO_HEADERS;
                switch (shape) {
                    case "typical" -> makeTypical(i);
                    case "tiny" -> values[i] = bytes(tiny());
                    case "large" -> values[i] = bytes(large());
                    default -> throw new IllegalArgumentException("no such shape: " + shape);
                }
            }
        }

        byte[] key() {
            return keys[current];
        }

        byte[] value() {
            return values[current];
        }

        Header[] headers() {
            return headers[current];
        }

        void advance() {
            current = (current + 1) % values.length;
        }

        private void makeTypical(int i) {
            keys[i] = bytes(hex(16));
            values[i] = bytes(event(FIRST_TIMESTAMP + i));
            if (i % 2 == 0) {
                headers[i] = new Header[] {new RecordHeader("traceparent", bytes("00-" + hex(16) + "-01")),
                    new RecordHeader("source", bytes(word()))};
            }
        }

        private String event(long time) {
            return String.format(Locale.ROOT,
                "{\"event_id\":\"%s\",\"type\":\"%s.%s\",\"ts\":%d,\"user_id\":%d,\"city\":\"%s\",\"device\":\"%s\","
                    + "\"amount\":%d.%02d,\"ok\":%b,\"trace\":\"%s\",\"note\":\"%s %s %s\"}",
                hex(16), word(), word(), time, random.nextInt(1_000_000), word(), word(), random.nextInt(1000),
                random.nextInt(100), random.nextBoolean(), hex(12), word(), word(), word());
        }

        private String tiny() {
            return String.format(Locale.ROOT, "%s=%s%s;%06d|", hex(4), word().substring(0, 3), word().substring(0, 3),
                random.nextInt(1_000_000));
        }

        private String large() {
            StringBuilder events = new StringBuilder("[");
            while (events.length() < 10_000) {
                events.append(event(FIRST_TIMESTAMP)).append(',');
            }
            return events.substring(0, 10_000);
        }

        private String word() {
            return WORDS[random.nextInt(WORDS.length)];
        }

        private String hex(int digits) {
            StringBuilder text = new StringBuilder(digits);
            for (int i = 0; i < digits; i++) {
                text.append(Character.forDigit(random.nextInt(16), 16));
            }
            return text.toString();
        }

        private static byte[] bytes(String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
    }
}
