import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import kafka_judge.AtOnce;
import kafka_judge.StoppedClock;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DescribeProducersResponseData.ProducerState;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

/**
 * A log that Kafka's UnifiedLog appends to, as a follower, and closes; and one that kafkafmt wrote, as it loads it.
 *
 * <p>The question: configs, start offset, clock, topic id, the operations (a clock and batches, or a clock alone to
 * roll), and kafkafmt's directory. The answer: "+" or "!" for each operation, then the files of the closed directory, then
 * what a clean start finds in it, and in kafkafmt's: offsets, leader epochs, producers.
 */
final class AppendedLog {
    private static final int MOST_TRANSACTION_MS = 300_000;
    private static final int PRODUCER_EXPIRATION_MS = Integer.MAX_VALUE;

    private final String[] fields;
    private final File directory;
    private final StoppedClock clock = new StoppedClock(0);

    AppendedLog(String[] fields, File directory) {
        this.fields = fields;
        this.directory = directory;
    }

    String answer() throws IOException {
        Files.createDirectories(directory.toPath());
        List<String> answer = new ArrayList<>();
        long start = Long.parseLong(fields[2]);
        clock.now = Long.parseLong(fields[3]);
        UnifiedLog log = open(directory, start);
        StringBuilder done = new StringBuilder();
        for (String operation : fields[5].isEmpty() ? new String[0] : fields[5].split(";")) {
            String[] words = operation.split(" ");
            clock.now = Long.parseLong(words[0]);
            try {
                if (words.length == 1) {
                    log.roll();
                } else {
                    ByteBuffer batches = ByteBuffer.wrap(WritingJudge.decoded(words[1]));
                    log.appendAsFollower(MemoryRecords.readableRecords(batches), Integer.MAX_VALUE);
                }
                done.append('+');
            } catch (RuntimeException refused) {
                done.append('!');
            }
        }
        answer.add(done.toString());
        log.flush(true);
        log.activeSegment().onBecomeInactiveSegment();  // as releases before 4.4 closed it; 4.4 leaves it as it is
        log.close();
        answer.add(files());
        answer.add(found(directory, start));
        answer.add(found(new File(fields[6]), start));
        return String.join("\t", answer);
    }

    private UnifiedLog open(File where, long start) throws IOException {
        Map<String, String> configs = new HashMap<>();
        for (String config : fields[1].split(",")) {
            configs.put(config.split("=")[0], config.split("=")[1]);
        }
        return UnifiedLog.create(
            where, new LogConfig(configs), start, start, new AtOnce(), new BrokerTopicStats(), clock, MOST_TRANSACTION_MS,
            new ProducerStateManagerConfig(PRODUCER_EXPIRATION_MS, false), Integer.MAX_VALUE, new LogDirFailureChannel(1),
            true, Optional.of(Uuid.fromString(fields[4])));
    }

    private String files() throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> paths = Files.list(directory.toPath())) {
            for (Path path : (Iterable<Path>) paths.sorted()::iterator) {
                found.add(path.getFileName() + "=" + WritingJudge.encoded(path));
            }
        }
        return String.join(" ", found);
    }

    private String found(File where, long start) throws IOException {
        try (UnifiedLog log = open(where, start)) {
            List<String> producers = new ArrayList<>();
            log.activeProducers().stream().sorted(Comparator.comparingLong(ProducerState::producerId))
                .forEach(producer -> producers.add(producer.toString()));
            return log.logStartOffset() + " " + log.logEndOffset() + " " + log.lastStableOffset() + " "
                + log.numberOfSegments() + " " + log.leaderEpochCache().epochEntries() + " " + producers;
        } catch (RuntimeException refused) {
            return "!" + refused;
        }
    }
}
