import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import kafka_judge.AtOnce;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.server.common.OffsetAndEpoch;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.storage.internals.checkpoint.CleanShutdownFileHandler;
import org.apache.kafka.storage.internals.log.FetchDataInfo;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.OffsetPosition;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/**
 * Random logs with transactions, left by a clean shutdown or by a power failure that took indexes after the recovery point.
 *
 * <p>The answer: what UnifiedLog, opened again and cut at several offsets, says of its last stable offset, its producers
 * and leader epochs, and of aborted transactions in reads of committed records.
 */
final class TransactionalReads {
    private static final int MOST_TRANSACTION_MS = 900_000;

    private final File scratch;
    private final PrintStream answers;

    TransactionalReads(File scratch, PrintStream answers) {
        this.scratch = scratch;
        this.answers = answers;
    }

    void answer(int number, long seed) throws Exception {
        Random chance = new Random(seed);
        RandomLog random = new RandomLog(chance, new File(scratch, "reads-" + number));
        random.configure(random.pick(1500, 1500, 6000), 4096);
        random.producerExpirationMs = Integer.MAX_VALUE;
        for (int starts = chance.nextInt(3); starts > 0; starts--) {
            UnifiedLog log = random.open();
            random.append(log, chance.nextInt(60));
            random.close(log, random.settle(log));
        }
        UnifiedLog log = random.open();
        random.append(log, chance.nextInt(100));
        random.settle(log);
        List<Long> ends = ends(chance, log);
        boolean isClean = chance.nextBoolean();
        long recoveryPoint = log.logEndOffset();
        random.close(log, log.logEndOffset());
        if (!isClean) {
            List<Long> bases = RandomLog.baseOffsets(log);
            recoveryPoint = bases.get(bases.size() - 1 - chance.nextInt(Math.min(3, bases.size()))) + chance.nextInt(2);
            random.checkpoint("recovery-point-offset-checkpoint", recoveryPoint);
            new CleanShutdownFileHandler(random.logDir.getPath()).delete();
            // Recovery also replays records below the log start.
            random.logStartOffset = bases.get(0);
            random.checkpoint("log-start-offset-checkpoint", bases.get(0));
            lose(random, recoveryPoint, bases);
        }
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        answer.put("part", "transactions").put("name", Integer.toString(number)).put("seed", seed);
        answer.put("isModern", random.isModern());
        ArrayNode views = answer.putArray("views");
        for (int which = 0; which < ends.size(); which++) {
            File copy = new File(random.logDir.getPath() + "-" + which);
            RandomLog.copy(random.logDir, copy);
            look(chance, opened(random, copy, recoveryPoint, isClean), ends.get(which), views.addObject());
        }
        answers.println(answer);
    }

    /** The log end, and some offsets at which batches begin. */
    private static List<Long> ends(Random chance, UnifiedLog log) {
        List<Long> known = new ArrayList<>();
        for (LogSegment segment : log.logSegments()) {
            for (RecordBatch batch : segment.log().batches()) {
                if (batch.baseOffset() >= log.logStartOffset()) {
                    known.add(batch.baseOffset());
                }
            }
        }
        List<Long> ends = new ArrayList<>(List.of(log.logEndOffset()));
        for (int count = 0; count < 3 && !known.isEmpty(); count++) {
            ends.add(known.get(chance.nextInt(known.size())));
        }
        return ends;
    }

    /** Files that were not flushed may be lost, except records, which have CRCs. */
    private static void lose(RandomLog random, long recoveryPoint, List<Long> bases) throws IOException {
        long from = bases.stream().filter(base -> base <= recoveryPoint).max(Long::compare).orElse(0L);
        for (File file : random.directory().listFiles()) {
            if (!file.getName().matches("\\d{20}\\.(txnindex|snapshot)")) {
                continue;
            }
            long offset = Long.parseLong(file.getName().substring(0, 20));
            boolean isIndex = file.getName().endsWith("x");
            if ((isIndex ? offset >= from : offset > from) && random.chance.nextBoolean() && !file.delete()) {
                throw new IOException(file + " stays");
            }
        }
    }

    private static UnifiedLog opened(RandomLog random, File copy, long recoveryPoint, boolean isClean) throws IOException {
        return UnifiedLog.create(
            new File(copy, RandomLog.PARTITION.toString()), new LogConfig(random.configs), random.logStartOffset, recoveryPoint,
            new AtOnce(), RandomLog.STATS, random.clock, MOST_TRANSACTION_MS,
            new ProducerStateManagerConfig(Integer.MAX_VALUE, false), Integer.MAX_VALUE, RandomLog.FAILURES, isClean,
            Optional.of(RandomLog.TOPIC_ID));
    }

    private static void look(Random chance, UnifiedLog log, long end, ObjectNode view) throws IOException {
        log.truncateTo(end);
        log.updateHighWatermark(log.logEndOffset());
        view.put("start", log.logStartOffset()).put("end", log.logEndOffset()).put("stable", log.lastStableOffset());
        ArrayNode producers = view.putArray("producers");
        for (DescribeProducersResponseData.ProducerState each : log.activeProducers()) {
            producers.addArray().add(each.producerId()).add(each.producerEpoch()).add(each.lastSequence())
                .add(each.lastTimestamp()).add(each.coordinatorEpoch()).add(each.currentTxnStartOffset());
        }
        ArrayNode epochs = view.putArray("epochs");
        for (int epoch = -1; epoch < log.latestEpoch().orElse(0) + 2; epoch++) {
            Optional<OffsetAndEpoch> found = log.endOffsetForEpoch(epoch);
            epochs.addArray().add(epoch).add(found.map(OffsetAndEpoch::epoch).orElse(-1)).add(
                found.map(OffsetAndEpoch::offset).orElse(-1L));
        }
        ArrayNode reads = view.putArray("reads");
        for (int count = 0; count < 12 && log.logEndOffset() > log.logStartOffset(); count++) {
            long offset = log.logStartOffset() + chance.nextInt((int) Math.min(Integer.MAX_VALUE, log.logEndOffset() - log.logStartOffset()));
            int size = chance.nextInt(3) == 0 ? Integer.MAX_VALUE : chance.nextInt(1200);
            FetchDataInfo read = log.read(offset, size, FetchIsolation.TXN_COMMITTED, true);
            if (read.records.sizeInBytes() == 0) {
                continue;
            }
            ObjectNode answer = reads.addObject().put("offset", offset).put("upperBound", upperBound(log, read));
            ArrayNode aborted = answer.putArray("aborted");
            for (FetchResponseData.AbortedTransaction each : read.abortedTransactions.orElseThrow()) {
                aborted.addArray().add(each.producerId()).add(each.firstOffset());
            }
        }
        log.close();
    }

    /** The offset up to which LocalLog.addAbortedTransactions searches. */
    private static long upperBound(UnifiedLog log, FetchDataInfo read) throws IOException {
        long base = read.fetchOffsetMetadata.segmentBaseOffset;
        List<LogSegment> segments = log.logSegments();
        for (int number = 0; number < segments.size(); number++) {
            if (segments.get(number).baseOffset() == base) {
                long next = number + 1 < segments.size() ? segments.get(number + 1).baseOffset() : log.logEndOffset();
                OffsetPosition begin = new OffsetPosition(
                    read.fetchOffsetMetadata.messageOffset, read.fetchOffsetMetadata.relativePositionInSegment);
                return segments.get(number).fetchUpperBoundOffset(begin, read.records.sizeInBytes()).orElse(next);
            }
        }
        throw new IllegalStateException("no segment " + base);
    }
}
