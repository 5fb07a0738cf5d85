import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.server.log.remote.metadata.storage.RemoteLogSegmentMetadataSnapshot;
import org.apache.kafka.server.log.remote.metadata.storage.serialization.RemoteLogMetadataSerde;
import org.apache.kafka.server.log.remote.storage.RemoteLogMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentId;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata.CustomMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadataUpdate;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentState;
import org.apache.kafka.server.log.remote.storage.RemotePartitionDeleteMetadata;
import org.apache.kafka.server.log.remote.storage.RemotePartitionDeleteState;

/**
 * Writes a segment of __remote_log_metadata with Kafka's own classes, as no golden case has one.
 *
 * <p>Takes the file to write and a seed. A batch holds the life of a segment in remote storage: its copy, its deletion,
 * a snapshot of it, and the deletion of its partition.
 */
public final class RemoteLogMetadataLog {
    private static final int BATCHES = 60;
    private static final long NOW = 1_700_000_000_000L;
    private static final String[] TOPICS = {"orders", "a.b_c-0", "-", "\u00fc\"\\\u0001\u2028"};

    private final RemoteLogMetadataSerde serde = new RemoteLogMetadataSerde();
    private final List<SimpleRecord> records = new ArrayList<>();
    private final Random random;

    private RemoteLogMetadataLog(long seed) {
        random = new Random(seed);
    }

    public static void main(String[] arguments) throws IOException {
        RemoteLogMetadataLog log = new RemoteLogMetadataLog(Long.parseLong(arguments[1]));
        Path path = Path.of(arguments[0]);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            long offset = 0;
            for (int batch = 0; batch < BATCHES; batch++) {
                ByteBuffer buffer = log.batch(offset).buffer();
                while (buffer.hasRemaining()) {
                    file.write(buffer);
                }
                offset += log.records.size();
            }
        }
    }

    private MemoryRecords batch(long offset) {
        records.clear();
        TopicIdPartition partition = new TopicIdPartition(uuid(), random.nextInt(100), TOPICS[random.nextInt(TOPICS.length)]);
        RemoteLogSegmentId id = new RemoteLogSegmentId(partition, uuid());
        long start = number(Long.MAX_VALUE / 2);
        RemoteLogSegmentMetadata copied = new RemoteLogSegmentMetadata(
                id, start, start + number(1000), timestamp(), random.nextInt(), timestamp(), random.nextInt(), custom(),
                RemoteLogSegmentState.COPY_SEGMENT_STARTED, epochs(), random.nextBoolean());
        add(copied);
        for (RemoteLogSegmentState state : RemoteLogSegmentState.values()) {
            RemoteLogSegmentMetadataUpdate update =
                    new RemoteLogSegmentMetadataUpdate(id, timestamp(), custom(), state, random.nextInt());
            add(update);
            add(copied.createWithUpdates(update));
            add(RemoteLogSegmentMetadataSnapshot.create(copied.createWithUpdates(update)));
        }
        for (RemotePartitionDeleteState state : RemotePartitionDeleteState.values()) {
            add(new RemotePartitionDeleteMetadata(partition, state, timestamp(), random.nextInt()));
        }
        Compression codec = random.nextInt(4) == 0 ? Compression.gzip().build() : Compression.NONE;
        return MemoryRecords.withRecords(offset, codec, records.toArray(new SimpleRecord[0]));
    }

    private void add(RemoteLogMetadata metadata) {
        byte[] key = random.nextInt(8) == 0 ? new byte[] {1, 2} : null;
        records.add(new SimpleRecord(NOW, key, serde.serialize(metadata)));
    }

    private Map<Integer, Long> epochs() {
        Map<Integer, Long> epochs = new TreeMap<>();
        for (int count = 1 + random.nextInt(4); count > 0; count--) {
            epochs.put(random.nextInt(1000) - 100, number(Long.MAX_VALUE));
        }
        return epochs;
    }

    private Optional<CustomMetadata> custom() {
        return random.nextBoolean() ? Optional.empty() : Optional.of(new CustomMetadata(new byte[random.nextInt(300)]));
    }

    private long timestamp() {
        return random.nextInt(5) == 0 ? random.nextLong() : NOW + random.nextInt();
    }

    private long number(long below) {
        return Math.floorMod(random.nextLong(), below);
    }

    private Uuid uuid() {
        return new Uuid(random.nextLong(), random.nextLong());
    }
}
