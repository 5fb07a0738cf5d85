import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.CloseableIterator;
import org.apache.kafka.common.utils.Utils;
import org.xerial.snappy.SnappyError;

/**
 * Prints the entries that Kafka's own code reads in segment files, as lines of JSON.
 *
 * <p>Arguments: a directory to fill with fresh segments, and a seed. Prints a first line when they are there, then takes
 * names of files from standard input to its end, and prints for each file one line a batch and one for the file's end.
 */
public final class KafkaJudge {
    private final PrintStream out;
    private final BufferSupplier buffers = BufferSupplier.create();

    private KafkaJudge(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] arguments) throws Exception {
        FreshSegments.make(Path.of(arguments[0]), Long.parseLong(arguments[1]));
        FileOutputStream stdout = new FileOutputStream(FileDescriptor.out);
        PrintStream out = new PrintStream(new BufferedOutputStream(stdout, 1 << 16), false, StandardCharsets.US_ASCII);
        out.println("\"made\"");
        out.flush();
        List<String> names;
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            names = in.lines().collect(Collectors.toList());
        }
        KafkaJudge judge = new KafkaJudge(out);
        for (String name : names) {
            judge.read(new File(name));
        }
        out.flush();
    }

    private void read(File file) throws Exception {
        long end = 0;
        String stop = null;
        try (FileRecords records = FileRecords.open(file, false)) {
            Iterator<FileChannelRecordBatch> batches = records.batches().iterator();
            while (true) {
                FileChannelRecordBatch batch;
                try {
                    if (!batches.hasNext()) {
                        break;
                    }
                    batch = batches.next();
                } catch (RuntimeException failure) {
                    stop = failure.toString();
                    break;
                }
                describe(batch);
                end = batch.position() + batch.sizeInBytes();
            }
        }
        out.println("{\"end\":" + end + ",\"stop\":" + quoted(stop) + "}");
    }

    private void describe(FileChannelRecordBatch batch) {
        StringBuilder line = new StringBuilder("{\"position\":").append(batch.position());
        field(line, "sizeInBytes", batch::sizeInBytes);
        field(line, "magic", batch::magic);
        field(line, "isValid", batch::isValid);
        field(line, "baseOffset", batch::baseOffset);
        field(line, "lastOffset", batch::lastOffset);
        field(line, "crc", batch::checksum);
        field(line, "compression", () -> quoted(batch.compressionType().name));
        field(line, "timestampType", () -> quoted(batch.timestampType().name));
        field(line, "maxTimestamp", batch::maxTimestamp);
        field(line, "baseTimestamp", () -> baseTimestamp(batch));
        field(line, "partitionLeaderEpoch", batch::partitionLeaderEpoch);
        field(line, "producerId", batch::producerId);
        field(line, "producerEpoch", batch::producerEpoch);
        field(line, "baseSequence", batch::baseSequence);
        field(line, "lastSequence", batch::lastSequence);
        field(line, "isTransactional", batch::isTransactional);
        field(line, "isControlBatch", batch::isControlBatch);
        field(line, "deleteHorizonMs", () -> orNull(batch.deleteHorizonMs()));
        field(line, "count", batch::countOrNull);
        records(line, batch);
        out.println(line.append('}'));
    }

    private void records(StringBuilder line, FileChannelRecordBatch batch) {
        line.append(",\"records\":[");
        String error = null;
        int whole = line.length();
        try (CloseableIterator<Record> records = batch.streamingIterator(buffers)) {
            boolean control = batch.isControlBatch();
            for (String separator = ""; records.hasNext(); separator = ",") {
                Record record = records.next();
                record.ensureValid(); // as a consumer does: messages inside a wrapper have CRCs of their own
                line.append(separator);
                record(line, record, control);
                whole = line.length();
            }
        } catch (RuntimeException | OutOfMemoryError | SnappyError failure) {
            line.setLength(whole); // half a record may stand there
            error = failure.toString();
        }
        line.append("],\"error\":").append(quoted(error));
    }

    private static void record(StringBuilder line, Record record, boolean control) {
        line.append("{\"offset\":").append(record.offset());
        line.append(",\"timestamp\":").append(record.timestamp());
        line.append(",\"sequence\":").append(record.sequence());
        line.append(",\"key\":").append(base64(record.key()));
        line.append(",\"value\":").append(base64(record.value()));
        line.append(",\"headers\":[");
        String separator = "";
        for (Header header : record.headers()) {
            byte[] value = header.value();
            line.append(separator).append('[').append(quoted(header.key())).append(',');
            line.append(base64(value == null ? null : ByteBuffer.wrap(value))).append(']');
            separator = ",";
        }
        line.append("],\"timestampType\":").append(quoted(timestampType(record)));
        line.append(",\"controlType\":").append(quoted(control ? controlType(record.key()) : null)).append('}');
    }

    /** Null if the record does not have it: in format v2 the batch does. */
    private static String timestampType(Record record) {
        for (TimestampType type : TimestampType.values()) {
            if (record.hasTimestampType(type)) {
                return type.name;
            }
        }
        return null;
    }

    private static String controlType(ByteBuffer key) {
        try {
            return ControlRecordType.parse(key).name();
        } catch (RuntimeException unreadable) {
            return "unreadable";
        }
    }

    private static String baseTimestamp(FileChannelRecordBatch batch) {
        if (batch.magic() < 2) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.allocate(batch.sizeInBytes());
        batch.writeTo(bytes);
        bytes.flip();
        return Long.toString(((DefaultRecordBatch) MemoryRecords.readableRecords(bytes).firstBatch()).baseTimestamp());
    }

    private static Long orNull(OptionalLong number) {
        return number.isPresent() ? (Long) number.getAsLong() : null;
    }

    private static void field(StringBuilder line, String name, Callable<?> getter) {
        String value;
        try {
            value = String.valueOf(getter.call());
        } catch (Exception | OutOfMemoryError | SnappyError failure) {
            value = "{\"throws\":" + quoted(failure.toString()) + "}";
        }
        line.append(",\"").append(name).append("\":").append(value);
    }

    private static String base64(ByteBuffer bytes) {
        return bytes == null ? "null" : '"' + Base64.getEncoder().encodeToString(Utils.toArray(bytes)) + '"';
    }

    private static String quoted(String text) {
        if (text == null) {
            return "null";
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (char character : text.toCharArray()) {
            if (character < ' ' || character > '~' || character == '"' || character == '\\') {
                quoted.append(String.format("\\u%04x", (int) character));
            } else {
                quoted.append(character);
            }
        }
        return quoted.append('"').toString();
    }
}
