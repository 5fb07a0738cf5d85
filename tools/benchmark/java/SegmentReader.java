import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.CloseableIterator;

/**
 * Reads segments with kafka-clients, on one thread, as benchmark/readers.py does with Python's libraries: each line of
 * standard input is "read PATH", each line of standard output how many records that file has, or "! " and why it could
 * not be read. Every CRC is checked and every record touched; nothing is copied. An argument is the most records to read.
 */
public final class SegmentReader {
    private static long touched;

    private SegmentReader() {
    }

    public static void main(String[] arguments) throws IOException {
        long most = arguments.length > 0 ? Long.parseLong(arguments[0]) : Long.MAX_VALUE;
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String question = questions.readLine(); question != null; question = questions.readLine()) {
            try {
                System.out.println(read(new File(question.substring(question.indexOf(' ') + 1)), most));
            } catch (IOException | RuntimeException error) {
                System.out.println("! " + error.toString().replace('\n', ' '));
            }
            System.out.flush();
        }
        if (touched == 42) {
            System.err.println("This keeps the compiler from leaving out what it computes.");
        }
    }

    private static long read(File path, long most) throws IOException {
        long records = 0;
        BufferSupplier buffers = BufferSupplier.create();
        try (FileRecords file = FileRecords.open(path, false)) {
            for (FileChannelRecordBatch batch : file.batches()) {
                batch.ensureValid();
                try (CloseableIterator<Record> iterator = batch.streamingIterator(buffers)) {
                    while (iterator.hasNext()) {
                        touch(iterator.next());
                        if (++records == most) {
                            return records;
                        }
                    }
                }
            }
        } finally {
            buffers.close();
        }
        return records;
    }

    private static void touch(Record record) {
        touched += record.offset() ^ record.timestamp();
        touch(record.key());
        touch(record.value());
        for (Header header : record.headers()) {
            touched += header.key().length() + (header.value() == null ? 0 : header.value().length);
        }
    }

    private static void touch(ByteBuffer bytes) {
        if (bytes != null && bytes.hasRemaining()) {
            touched += bytes.get(bytes.position()) + bytes.get(bytes.limit() - 1);
        }
    }
}
