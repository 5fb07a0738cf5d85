import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.Feature;

/**
 * Formats a log directory for node 1, whose first start then knows topics by the ids that they have on a disk.
 *
 * <p>Each line of the file is topic, topic id, partitions and the latest leader epoch on the disk, with tabs between.
 */
final class FormatDisk {
    /** Takes the log directory, the cluster id and the file. */
    public static void main(String[] arguments) throws Exception {
        List<ApiMessageAndVersion> records = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(arguments[2]))) {
            String[] fields = line.split("\t");
            Uuid id = Uuid.fromString(fields[1]);
            records.add(new ApiMessageAndVersion(new TopicRecord().setName(fields[0]).setTopicId(id), (short) 0));
            for (int number = 0; number < Integer.parseInt(fields[2]); number++) {
                PartitionRecord record = new PartitionRecord()
                        .setTopicId(id)
                        .setPartitionId(number)
                        .setReplicas(List.of(1))
                        .setIsr(List.of(1))
                        .setLeader(-1)
                        .setLeaderEpoch(Integer.parseInt(fields[3]))
                        .setDirectories(List.of(Uuid.fromString("AAAAAAAAAAAAAAAAAAAAAA")));
                records.add(new ApiMessageAndVersion(record, (short) 2));
            }
        }
        new Formatter()
                .setNodeId(1)
                .setClusterId(arguments[1])
                .setSupportedFeatures(Feature.PRODUCTION_FEATURES)
                .setDirectories(List.of(arguments[0]))
                .setMetadataLogDirectory(arguments[0])
                .setControllerListenerName("CONTROLLER")
                .setFeatureLevel("eligible.leader.replicas.version", (short) 0) // else a new node is in no ISR
                .setIgnoreFormatted(true)
                .setAdditionalBootstrapRecords(records)
                .setPrintStream(new PrintStream(System.err))
                .run();
    }
}
