import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import kafka_judge.AtOnce;
import kafka_judge.StoppedClock;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AbortedTxn;
import org.apache.kafka.common.message.DescribeProducersResponseData.ProducerState;
import org.apache.kafka.storage.internals.log.CleanerConfig;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.LogManager;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

/**
 * The result of Kafka's LogManager loading log directories at a start.
 *
 * <p>Arguments: a partition, and the moment in ms. Each line of the input is a log directory; the answer to it is a line of
 * JSON: the error that ends the start, or whether the directory goes offline, or offsets, leader epochs, producers, aborted
 * transactions and segments of the log, and the segments that the first pass of retention leaves.
 */
final class LoadedLogs {
    private static final int MOST_TRANSACTION_MS = 900_000;
    private static final int PRODUCER_EXPIRATION_MS = Integer.MAX_VALUE;
    private static final long HOUR = 3_600_000;

    private LoadedLogs() {
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);  // what Kafka logs
        int dash = arguments[0].lastIndexOf('-');
        TopicPartition partition = new TopicPartition(
            arguments[0].substring(0, dash), Integer.parseInt(arguments[0].substring(dash + 1)));
        StoppedClock clock = new StoppedClock(Long.parseLong(arguments[1]));
        BufferedReader asked = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = asked.readLine(); line != null; line = asked.readLine()) {
            answers.println(answer(new File(line), partition, clock));
        }
        System.exit(0);
    }

    private static ObjectNode answer(File logDir, TopicPartition partition, StoppedClock clock) throws IOException {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        LogConfig config = new LogConfig(Map.of());
        LogManager manager = new LogManager(
            List.of(logDir), List.of(), resource -> new Properties(), config, new CleanerConfig(false), 1, HOUR, HOUR, HOUR,
            HOUR, MOST_TRANSACTION_MS, new ProducerStateManagerConfig(PRODUCER_EXPIRATION_MS, false), (int) HOUR,
            new AtOnce(), new BrokerTopicStats(), new LogDirFailureChannel(1), clock, false, HOUR,
            (cleaner, dirs, logs, failures, time) -> null);
        try {
            manager.loadLogs(config, Map.of(), log -> false);
        } catch (Throwable refused) {  // whatever it is, it ends the broker
            Throwable cause = refused;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            return answer.put("error", cause.getClass().getSimpleName());
        }
        if (manager.getLog(partition).isEmpty()) {
            return answer.put("error", "offline");
        }
        UnifiedLog log = manager.getLog(partition).get();
        answer.put("logStartOffset", log.logStartOffset()).put("logEndOffset", log.logEndOffset());
        ArrayNode epochs = answer.putArray("epochs");
        log.leaderEpochCache().epochEntries().forEach(entry -> epochs.addArray().add(entry.epoch()).add(entry.startOffset()));
        ArrayNode producers = answer.putArray("producers");
        log.activeProducers().stream().sorted(Comparator.comparingLong(ProducerState::producerId)).forEach(
            each -> producers.addArray().add(each.producerId()).add(each.producerEpoch()).add(each.lastSequence())
                .add(each.currentTxnStartOffset()));
        ArrayNode aborted = answer.putArray("aborted");
        for (AbortedTxn each : log.collectAbortedTransactions(0, log.logEndOffset())) {
            aborted.addArray().add(each.producerId()).add(each.firstOffset()).add(each.lastOffset());
        }
        ArrayNode segments = answer.putArray("segments");
        for (LogSegment segment : log.logSegments()) {
            segments.addObject().put("baseOffset", segment.baseOffset()).put("size", segment.size())
                .put("index", segment.offsetIndex().entries()).put("timeindex", segment.timeIndex().entries())
                .put("largestTimestamp", segment.largestTimestamp());
        }
        log.updateHighWatermark(log.logEndOffset());
        log.deleteOldSegments();
        ArrayNode kept = answer.putArray("kept");
        log.logSegments().forEach(segment -> kept.add(segment.baseOffset()));
        return answer;
    }
}
