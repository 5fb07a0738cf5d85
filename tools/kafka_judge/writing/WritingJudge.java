import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.internals.CloseableIterator;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;

/**
 * Lets Kafka write what writing.judge writes: batches by MemoryRecordsBuilder, logs by UnifiedLog.
 *
 * <p>Takes a question a line from standard input, its fields with tabs between them, and answers with a line. A batch:
 * arguments of the builder and a field for each call; the answer has a field for each call, then the bytes, and what
 * Kafka reads in the bytes of the question's last field. A log: see AppendedLog. Bytes are base64, null is a dash.
 */
public final class WritingJudge {
    private static final Base64.Decoder DECODER = Base64.getDecoder();
    private static final Base64.Encoder ENCODER = Base64.getEncoder();

    private WritingJudge() {
    }

    public static void main(String[] arguments) throws IOException {
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "error");
        Path scratch = Path.of(arguments[0]);
        PrintStream answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            int number = 0;
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] fields = line.split("\t", -1);
                File directory = scratch.resolve("theirs-" + number++).resolve("topic-0").toFile();
                answers.print((fields[0].equals("batch") ? batch(fields) : new AppendedLog(fields, directory).answer()) + "\n");
            }
        }
        answers.flush();
    }

    private static String batch(String[] fields) {
        List<String> answer = new ArrayList<>();
        try {
            MemoryRecordsBuilder builder = builder(fields[1].split(" "));
            answer.add(Integer.toString(builder.estimatedSizeInBytes()));
            for (String call : fields[2].isEmpty() ? new String[0] : fields[2].split(";")) {
                answer.add(call(builder, call.split(" ", -1)));
            }
            answer.add(base64(builder.build().buffer()));
        } catch (RuntimeException refused) {
            answer.add("!" + refused.getClass().getSimpleName());
        }
        return String.join("\t", answer) + "\t" + read(DECODER.decode(fields[3]));
    }

    private static MemoryRecordsBuilder builder(String[] words) {
        byte magic = Byte.parseByte(words[0]);
        int limit = Integer.parseInt(words[11]);
        MemoryRecordsBuilder builder = new MemoryRecordsBuilder(
            new ByteBufferOutputStream(limit), magic, Compression.of(words[1]).build(), TimestampType.forName(words[2]),
            Long.parseLong(words[4]), Long.parseLong(words[3]), Long.parseLong(words[5]), Short.parseShort(words[6]),
            Integer.parseInt(words[7]), words[8].equals("True"), words[9].equals("True"), Integer.parseInt(words[10]),
            limit);
        builder.setEstimatedCompressionRatio(Float.parseFloat(words[12]));
        return builder;
    }

    private static String call(MemoryRecordsBuilder builder, String[] words) {
        long timestamp = Long.parseLong(words[0]);
        if (words.length == 3) {
            builder.appendEndTxnMarker(
                timestamp, new EndTransactionMarker(ControlRecordType.valueOf(words[1]), Integer.parseInt(words[2])));
            return builder.estimatedSizeInBytes() + " " + builder.isFull();
        }
        byte[] key = bytes(words[1]);
        byte[] value = bytes(words[2]);
        Header[] headers = headers(words[3]);
        boolean room = builder.hasRoomFor(timestamp, key, value, headers);
        if (words[4].equals("-")) {
            builder.append(timestamp, key, value, headers);
        } else {
            builder.appendWithOffset(Long.parseLong(words[4]), timestamp, key, value, headers);
        }
        return room + " " + builder.estimatedSizeInBytes() + " " + builder.isFull();
    }

    private static Header[] headers(String words) {
        if (words.isEmpty()) {
            return Record.EMPTY_HEADERS;
        }
        String[] pairs = words.split(",");
        Header[] headers = new Header[pairs.length];
        for (int number = 0; number < pairs.length; number++) {
            String[] pair = pairs[number].split(":", -1);
            headers[number] = new RecordHeader(new String(DECODER.decode(pair[0]), StandardCharsets.UTF_8), bytes(pair[1]));
        }
        return headers;
    }

    /** What a consumer finds in batches. */
    private static String read(byte[] written) {
        StringBuilder found = new StringBuilder();
        try {
            for (MutableRecordBatch batch : MemoryRecords.readableRecords(ByteBuffer.wrap(written)).batches()) {
                batch.ensureValid();
                try (CloseableIterator<Record> records = batch.streamingIterator(BufferSupplier.create())) {
                    while (records.hasNext()) {
                        Record record = records.next();
                        record.ensureValid();
                        found.append(record.offset()).append(' ').append(record.timestamp())
                            .append(' ').append(base64(record.key())).append(' ').append(base64(record.value()));
                        for (Header header : record.headers()) {
                            found.append(' ').append(base64(ByteBuffer.wrap(header.key().getBytes(StandardCharsets.UTF_8))))
                                .append(':').append(header.value() == null ? "-" : ENCODER.encodeToString(header.value()));
                        }
                        found.append(';');
                    }
                }
            }
        } catch (RuntimeException refused) {
            found.append('!').append(refused);
        }
        return found.toString();
    }

    private static byte[] bytes(String word) {
        return word.equals("-") ? null : DECODER.decode(word);
    }

    private static String base64(ByteBuffer bytes) {
        return bytes == null ? "-" : StandardCharsets.ISO_8859_1.decode(ENCODER.encode(bytes.duplicate())).toString();
    }

    static byte[] decoded(String word) {
        return DECODER.decode(word);
    }

    static String encoded(Path file) throws IOException {
        return ENCODER.encodeToString(Files.readAllBytes(file));
    }
}
