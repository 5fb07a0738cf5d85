import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/**
 * Pairs of logs that have a beginning in common and then epochs of their own, each of which follows the other: see
 * Follower.
 *
 * <p>The answer: where each is cut, and how many records it loses; null where nothing is cut.
 */
final class DivergedPairs {
    private final File scratch;
    private final PrintStream answers;

    DivergedPairs(File scratch, PrintStream answers) {
        this.scratch = scratch;
        this.answers = answers;
    }

    void answer(int number, long seed) throws Exception {
        Random chance = new Random(seed);
        RandomLog[] pair = {
            new RandomLog(chance, new File(scratch, "pair-" + number + "-0")),
            new RandomLog(chance, new File(scratch, "pair-" + number + "-1")),
        };
        UnifiedLog[] logs = new UnifiedLog[2];
        for (int side = 0; side < 2; side++) {
            pair[side].configure(pair[side].pick(1500, 6000), 4096);
            logs[side] = pair[side].open();
        }
        int common = chance.nextInt(12);
        int epoch = chance.nextInt(2);
        for (int batch = 0; batch < common; batch++) {
            epoch += step(chance);
            MemoryRecords records = records(chance, logs[0].logEndOffset(), epoch);
            for (UnifiedLog log : logs) {
                log.appendAsFollower(records, Integer.MAX_VALUE);
            }
        }
        for (UnifiedLog log : logs) {
            int own = epoch + chance.nextInt(3);
            for (int batch = chance.nextInt(10); batch > 0; batch--) {
                own += step(chance);
                log.appendAsFollower(records(chance, log.logEndOffset(), own), Integer.MAX_VALUE);
            }
            if (chance.nextInt(5) == 0) {
                log.assignEpochStartOffset(own + 1 + chance.nextInt(2), log.logEndOffset());  // led, and wrote nothing
            }
        }
        long[] highWatermarks = new long[2];
        for (int side = 0; side < 2; side++) {
            highWatermarks[side] = pair[side].settle(logs[side]);
            pair[side].close(logs[side], highWatermarks[side]);
            File epochs = new File(pair[side].directory(), "leader-epoch-checkpoint");
            if (chance.nextInt(12) == 0 && !epochs.delete()) {  // as before KIP-101
                throw new IOException(epochs + " stays");
            }
        }
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        answer.put("part", "truncation").put("name", Integer.toString(number)).put("seed", seed);
        follow(pair[0], pair[1], highWatermarks, answer, "First");
        follow(pair[1], pair[0], new long[] {highWatermarks[1], highWatermarks[0]}, answer, "Second");
        answers.println(answer);
    }

    /** Lets the first lead and the second follow, both of them copies. */
    private void follow(RandomLog first, RandomLog second, long[] highWatermarks, ObjectNode answer, String who) throws Exception {
        UnifiedLog leader = opened(first, highWatermarks[0], "leads");
        UnifiedLog follower = opened(second, highWatermarks[1], "follows");
        int epoch = 1 + Math.max(leader.latestEpoch().orElse(-1), follower.latestEpoch().orElse(-1));
        leader.assignEpochStartOffset(epoch, leader.logEndOffset());
        long start = follower.logStartOffset();
        long end = follower.logEndOffset();
        UnifiedLog before = opened(second, highWatermarks[1], "before");
        Follower.follow(follower, leader, epoch);
        boolean isWholeGone = follower.logStartOffset() > start || follower.logEndOffset() > end;
        if (isWholeGone || follower.logEndOffset() < end) {
            answer.put("truncateIf" + who + "Leads", follower.logEndOffset());
            answer.put("lostIf" + who + "Leads", count(before, isWholeGone ? start : Math.max(start, follower.logEndOffset())));
        } else {
            answer.putNull("truncateIf" + who + "Leads").put("lostIf" + who + "Leads", 0);
        }
        before.close();
        leader.close();
        follower.close();
    }

    private static UnifiedLog opened(RandomLog random, long highWatermark, String name) throws IOException {
        File copy = new File(random.logDir.getPath() + "-" + name);
        RandomLog.copy(random.logDir, copy);
        UnifiedLog log = random.open(copy);
        log.updateHighWatermark(highWatermark);
        return log;
    }

    private static int count(UnifiedLog log, long offset) {
        int count = 0;
        for (LogSegment segment : log.logSegments()) {
            for (Record record : segment.log().records()) {
                count += record.offset() >= offset ? 1 : 0;
            }
        }
        return count;
    }

    private static int step(Random chance) {
        return chance.nextInt(3) == 0 ? 1 + chance.nextInt(2) : 0;
    }

    private static MemoryRecords records(Random chance, long offset, int epoch) {
        MemoryRecordsBuilder builder = MemoryRecords.builder(
            ByteBuffer.allocate(1024), RecordBatch.MAGIC_VALUE_V2, Compression.NONE, TimestampType.CREATE_TIME, offset,
            RecordBatch.NO_TIMESTAMP, RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH, RecordBatch.NO_SEQUENCE,
            false, false, epoch);
        for (int count = 1 + chance.nextInt(3); count > 0; count--) {
            builder.append(RandomLog.BEGIN + chance.nextInt(1000), null, new byte[] {(byte) chance.nextInt(256)});
        }
        return builder.build();
    }
}
