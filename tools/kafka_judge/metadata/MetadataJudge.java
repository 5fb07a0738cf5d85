import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.metadata.MetadataJsonConverters;
import org.apache.kafka.common.metadata.MetadataRecordType;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.image.loader.MetadataBatchLoader;
import org.apache.kafka.image.writer.ImageWriterOptions;
import org.apache.kafka.image.writer.RecordListWriter;
import org.apache.kafka.metadata.MetadataRecordSerde;
import org.apache.kafka.metadata.SupportedConfigChecker;
import org.apache.kafka.raft.Batch;
import org.apache.kafka.raft.LeaderAndEpoch;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * Kafka's own replay of metadata logs: its delta and image classes, and its loader of batches.
 *
 * write SEED COUNT DIRECTORY writes logs of random histories. replay answers each line of stdin, "directory TAB
 * snapshot or - TAB end offset or -1", with a line of JSON: what a broker would hold, as the records of a snapshot.
 */
public final class MetadataJudge {
    private static final MetadataRecordSerde SERDE = new MetadataRecordSerde();

    private MetadataJudge() { }

    public static void main(String[] arguments) throws IOException {
        if (arguments[0].equals("write")) {
            RandomHistory.write(Long.parseLong(arguments[1]), Integer.parseInt(arguments[2]), Path.of(arguments[3]));
            return;
        }
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        StringBuilder answers = new StringBuilder();
        for (String line = questions.readLine(); line != null; line = questions.readLine()) {
            String[] fields = line.split("\t");
            answers.append(new Replay().answer(Path.of(fields[0]), fields[1], Long.parseLong(fields[2]))).append('\n');
        }
        System.out.write(answers.toString().getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }

    static ByteBuffer encode(ApiMessageAndVersion record) {
        org.apache.kafka.common.protocol.ObjectSerializationCache cache =
            new org.apache.kafka.common.protocol.ObjectSerializationCache();
        ByteBuffer buffer = ByteBuffer.allocate(SERDE.recordSize(record, cache));
        SERDE.write(record, cache, new ByteBufferAccessor(buffer));
        return buffer.flip();
    }

    private static final class Replay {
        private final List<String> faults = new ArrayList<>();
        private MetadataImage image = MetadataImage.EMPTY;

        private RuntimeException fault(String message, Throwable cause) {
            faults.add(message + ": " + cause);
            return new IllegalStateException(message, cause);
        }

        private String answer(Path directory, String snapshot, long end) throws IOException {
            long start = 0;
            if (!snapshot.equals("-")) {
                start = Long.parseLong(snapshot.substring(0, 20));
                load(directory.resolve(snapshot), start, Integer.parseInt(snapshot.substring(21, 31)));
            }
            MetadataBatchLoader loader = new MetadataBatchLoader(new LogContext(), Time.SYSTEM, this::fault,
                (delta, next, manifest) -> image = next, SupportedConfigChecker.TRUE);
            loader.resetToImage(image);
            for (Path log : logs(directory)) {
                try (FileRecords file = FileRecords.open(log.toFile(), false)) {
                    for (RecordBatch batch : file.batches()) {
                        if (!batch.isControlBatch() && batch.baseOffset() >= start
                            && (end < 0 || batch.lastOffset() < end)) {
                            loader.loadBatch(data(batch), LeaderAndEpoch.UNKNOWN);
                            loader.maybeFlushBatches(LeaderAndEpoch.UNKNOWN, true);
                        }
                    }
                }
            }
            return written();
        }

        private void load(Path snapshot, long offset, int epoch) throws IOException {
            MetadataDelta delta = new MetadataDelta.Builder().setImage(MetadataImage.EMPTY)
                .setSupportedConfigChecker(SupportedConfigChecker.TRUE).build();
            try (FileRecords file = FileRecords.open(snapshot.toFile(), false)) {
                for (RecordBatch batch : file.batches()) {
                    if (!batch.isControlBatch()) {
                        data(batch).records().forEach(record -> delta.replay(record.message()));
                    }
                }
            }
            delta.finishSnapshot();
            image = delta.apply(new MetadataProvenance(offset - 1, epoch, 0, true));
        }

        private String written() {
            RecordListWriter writer = new RecordListWriter();
            // The newest version writes all that an image holds.
            image.write(writer, new ImageWriterOptions.Builder(MetadataVersion.latestTesting())
                .setEligibleLeaderReplicasEnabled(true).build());
            ObjectNode answer = new ObjectNode(JsonNodeFactory.instance);
            answer.put("metadataVersion",
                image.features().metadataVersion().map(version -> (int) version.featureLevel()).orElse(0));
            faults.forEach(answer.withArray("faults")::add);
            for (ApiMessageAndVersion record : writer.records()) {
                ObjectNode node = answer.withArray("records").addObject();
                node.put("type", MetadataRecordType.fromId(record.message().apiKey()).name());
                node.set("data", MetadataJsonConverters.writeJson(record.message(), record.version()));
            }
            return answer.toString();
        }

        private static List<Path> logs(Path directory) throws IOException {
            try (Stream<Path> files = Files.list(directory)) {
                return files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
            }
        }

        private static Batch<ApiMessageAndVersion> data(RecordBatch batch) {
            List<ApiMessageAndVersion> records = new ArrayList<>();
            for (Record record : batch) {
                ByteBuffer value = record.value();
                records.add(SERDE.read(new ByteBufferAccessor(value), value.remaining()));
            }
            return Batch.data(batch.baseOffset(), batch.partitionLeaderEpoch(), batch.maxTimestamp(),
                batch.sizeInBytes(), records);
        }
    }
}
