import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;

/**
 * Prints the records of all batches with a right CRC in the segments below directories, at whatever byte they begin:
 * file, offset and {@link RecordHash}, with tabs between. Batches of markers are left out.
 */
final class SoundRecords {
    private static final int MAGIC_AT = 16;
    private static final int LENGTH_AT = 8;
    private static final int LENGTH_END = 12;
    private static final int HEADER_BYTES = 61;
    private static final byte MAGIC = 2;

    private SoundRecords() {}

    public static void main(String[] arguments) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (String directory : arguments) {
            List<Path> files;
            try (Stream<Path> found = Files.walk(Path.of(directory), FileVisitOption.FOLLOW_LINKS)) {
                files = found.filter(path -> path.toString().endsWith(".log")).sorted().toList();
            }
            for (Path file : files) {
                add(file, ByteBuffer.wrap(Files.readAllBytes(file)), lines);
            }
        }
        System.out.print(lines);
    }

    private static void add(Path file, ByteBuffer data, StringBuilder lines) {
        for (int position = 0; position + HEADER_BYTES <= data.limit(); position++) {
            int size = data.getInt(position + LENGTH_AT) + LENGTH_END;
            if (data.get(position + MAGIC_AT) != MAGIC || size < HEADER_BYTES || size > data.limit() - position) {
                continue;
            }
            for (MutableRecordBatch batch : MemoryRecords.readableRecords(data.slice(position, size)).batches()) {
                if (!(batch instanceof DefaultRecordBatch) || !batch.isValid() || batch.isControlBatch()) {
                    continue;
                }
                try {
                    for (Record record : batch) {
                        String hash = RecordHash.of(
                                record.offset(), record.timestamp(), record.key(), record.value(), record.headers());
                        lines.append(file).append('\t').append(record.offset()).append('\t').append(hash).append('\n');
                    }
                } catch (KafkaException undecodable) {
                    System.err.println(file + ": " + undecodable);
                }
            }
        }
    }
}
