import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * Builds batches with kafka-clients, on one thread, as benchmark/writers.py does with Python's libraries: each line of
 * standard input is "write VALUE_BYTES RECORDS", each line of standard output how many bytes of batches came of that. As
 * a producer does, it asks whether there is room before each record, and uses the buffer of a batch again.
 */
public final class BatchWriter {
    private static final int BATCH_BYTES = 16384;
    private static final long TIMESTAMP = 1_795_000_000_000L;

    private static byte[][] keys = {};
    private static byte[][] values = {};

    private BatchWriter() {
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String question = questions.readLine(); question != null; question = questions.readLine()) {
            String[] words = question.split(" ");
            try {
                make(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
                System.out.println(write());
            } catch (RuntimeException error) {
                System.out.println("! " + error.toString().replace('\n', ' '));
            }
            System.out.flush();
        }
    }

    private static void make(int valueBytes, int records) {
        if (values.length == records && values[0].length == valueBytes) {
            return;
        }
        keys = new byte[records][];
        values = new byte[records][];
        for (int number = 0; number < records; number++) {
            keys[number] = String.format("key-%012d", number).getBytes(StandardCharsets.UTF_8);
            values[number] = Arrays.copyOf(String.format("%012d", number).getBytes(StandardCharsets.UTF_8), valueBytes);
        }
    }

    private static long write() {
        long bytes = 0;
        ByteBuffer buffer = ByteBuffer.allocate(BATCH_BYTES);
        MemoryRecordsBuilder batch = builder(buffer);
        for (int number = 0; number < values.length; number++) {
            if (!batch.hasRoomFor(TIMESTAMP, keys[number], values[number], Record.EMPTY_HEADERS)) {
                bytes += batch.build().sizeInBytes();
                buffer.clear();
                batch = builder(buffer);
            }
            batch.append(TIMESTAMP, keys[number], values[number]);
        }
        return bytes + batch.build().sizeInBytes();
    }

    private static MemoryRecordsBuilder builder(ByteBuffer buffer) {
        return MemoryRecords.builder(
            buffer, RecordBatch.CURRENT_MAGIC_VALUE, Compression.NONE, TimestampType.CREATE_TIME, 0L);
    }
}
