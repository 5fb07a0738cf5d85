import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.storage.internals.log.CleanableLog;
import org.apache.kafka.storage.internals.log.Cleaner;
import org.apache.kafka.storage.internals.log.CleanerStats;
import org.apache.kafka.storage.internals.log.LogCleanerManager;
import org.apache.kafka.storage.internals.log.LogToClean;
import org.apache.kafka.storage.internals.log.PreCleanStats;
import org.apache.kafka.storage.internals.log.SkimpyOffsetMap;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.internals.utils.Throttler;

/**
 * Random logs that Kafka's LogCleanerManager judges and Kafka's Cleaner cleans, in rounds with new records between them.
 *
 * <p>Each round leaves the log directory as it was before the pass, and as it was after it. The answer: what LogToClean
 * says, whether the log is picked, and what the pass reads and writes, or the error that ends it.
 */
final class CleanedLogs {
    private static final int BUFFER = 262_144;
    private static final int MOST_BUFFER = 1_048_588;
    private static final double LOAD_FACTOR = 0.9;

    private final File scratch;
    private final PrintStream answers;

    CleanedLogs(File scratch, PrintStream answers) {
        this.scratch = scratch;
        this.answers = answers;
    }

    void answer(int number, long seed) throws Exception {
        Random chance = new Random(seed);
        RandomLog random = new RandomLog(chance, new File(scratch, "cleaned-" + number));
        Map<String, String> configs = random.configs;
        random.configure(random.pick(1500, 3000, 6000), random.pick(40, 4096, 4096, 4096));
        random.producerExpirationMs = (int) (random.pick(1, 24) * RandomLog.HOUR);
        int rounds = 1 + chance.nextInt(4);
        for (int round = 0; round < rounds; round++) {
            configs.put("cleanup.policy", random.pick("compact", "compact", "compact,delete"));
            configs.put("min.cleanable.dirty.ratio", random.pick("0.0", "0.01", "0.5", "0.5", "0.9", "1.0"));
            configs.put("delete.retention.ms", Long.toString(random.pick(0L, 1L, RandomLog.HOUR, 24 * RandomLog.HOUR)));
            long lag = chance.nextInt(3) == 0 ? chance.nextInt((int) (4 * RandomLog.HOUR)) : 0;
            configs.put("min.compaction.lag.ms", Long.toString(lag));
            long most = chance.nextInt(3) == 0 ? Math.max(lag, 1) + chance.nextInt((int) (9 * RandomLog.HOUR)) : Long.MAX_VALUE;
            configs.put("max.compaction.lag.ms", Long.toString(most));
            UnifiedLog log = random.open();
            random.append(log, round == 0 ? 5 + chance.nextInt(150) : chance.nextInt(80));
            long highWatermark = random.settle(log);
            if (chance.nextInt(12) == 0) {
                random.checkpoint(LogCleanerManager.OFFSET_CHECKPOINT_FILE, (long) (chance.nextDouble() * 1.2 * log.logEndOffset()));
            }
            random.close(log, highWatermark);
            random.clock.now += random.pick(0L, 1L, RandomLog.HOUR, 12 * RandomLog.HOUR, 24 * RandomLog.HOUR);
            String name = number + "-" + round;
            RandomLog.copy(random.logDir, new File(scratch, "before-" + name));
            int buffer = chance.nextInt(3) == 0 ? 24 * (2 + chance.nextInt(20)) : 24 * 10_000;
            ObjectNode answer = JsonNodeFactory.instance.objectNode();
            answer.put("part", "compaction").put("name", name).put("seed", seed).put("at", random.clock.now);
            ObjectNode asked = random.asked();
            answer.set("config", asked);
            asked.put("producer.id.expiration.ms", random.producerExpirationMs);
            asked.put("log.cleaner.dedupe.buffer.size", buffer);
            boolean isWhole = clean(random, highWatermark, buffer, answer);
            answers.println(answer);
            if (!isWhole) {
                return;
            }
            RandomLog.copy(random.logDir, new File(scratch, "after-" + name));
        }
    }

    /** Runs a pass; false if Kafka's cleaner fails. */
    private boolean clean(RandomLog random, long highWatermark, int buffer, ObjectNode answer) throws Exception {
        List<String> snapshots = new ArrayList<>(snapshots(random));
        UnifiedLog log = random.open();
        snapshots.removeAll(snapshots(random));
        snapshots.forEach(answer.putArray("stray")::add);
        log.updateHighWatermark(highWatermark);
        log.removeExpiredProducers(random.clock.now);
        ConcurrentMap<TopicPartition, UnifiedLog> logs = new ConcurrentHashMap<>(Map.of(RandomLog.PARTITION, log));
        LogCleanerManager manager = new LogCleanerManager(List.of(random.logDir), logs, RandomLog.FAILURES);
        try {
            Optional<Long> checkpoint = Optional.ofNullable(manager.allCleanerCheckpoints().get(RandomLog.PARTITION));
            answer.put("wouldClean", manager.grabFilthiestCompactedLog(random.clock, new PreCleanStats()).isPresent());
            LogToClean cleanable = CleanableLog.of(log, checkpoint, random.clock.now);
            answer.put("firstDirtyOffset", cleanable.firstDirtyOffset());
            answer.put("firstUncleanableOffset", cleanable.firstUncleanableOffset());
            answer.put("cleanBytes", cleanable.cleanBytes()).put("dirtyBytes", cleanable.cleanableBytes());
            if (cleanable.cleanableBytes() == 0) {
                RandomLog.close(log);
                return true;
            }
            // kafkafmt follows Kafka 4.3, which keeps the last batch of a round if all its records go. From 4.4.0 on
            // (KAFKA-20452) it stays only where it ends at the high watermark: so this is set to the end of the round.
            log.updateHighWatermark(cleanable.firstUncleanableOffset());
            Cleaner cleaner = new Cleaner(
                0, new SkimpyOffsetMap(buffer), BUFFER, MOST_BUFFER, LOAD_FACTOR,
                new Throttler(Double.MAX_VALUE, Long.MAX_VALUE, "throttler", "entries", random.clock), random.clock, partition -> { });
            try {
                Map.Entry<Long, CleanerStats> cleaned = cleaner.clean(cleanable);
                CleanerStats stats = cleaned.getValue();
                manager.updateCheckpoints(
                    random.logDir, Optional.of(Map.entry(RandomLog.PARTITION, cleaned.getKey())), Optional.empty());
                answer.put("cleanedUpTo", cleaned.getKey());
                answer.put("removableRecords", stats.messagesRead() - stats.messagesWritten());
                answer.put("removableBytes", stats.bytesRead() - stats.bytesWritten());
                answer.put("recordsWithoutKey", stats.invalidMessagesRead());
            } catch (RuntimeException failed) {
                answer.put("error", failed.toString());
                RandomLog.close(log);
                return false;
            }
            RandomLog.close(log);
            return true;
        } finally {
            manager.removeMetrics();
        }
    }

    private static List<String> snapshots(RandomLog random) {
        return List.of(random.directory().list((where, name) -> name.endsWith(".snapshot")));
    }
}
