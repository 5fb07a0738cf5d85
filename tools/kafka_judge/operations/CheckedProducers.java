import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.storage.internals.log.ClientAppend;
import org.apache.kafka.storage.internals.log.ProducerStateManager;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/**
 * Random logs with lost, repeated and overlapping sequences and epochs that go back, which a follower takes unasked.
 *
 * <p>The answer has each batch that Kafka's ProducerStateManager refuses if a client sends it. Its state is that of the
 * batches before: of those that it refused only what goes ahead, so that each fault is there once.
 */
final class CheckedProducers {
    private static final int REMEMBERED = 9;

    private final File scratch;
    private final PrintStream answers;

    CheckedProducers(File scratch, PrintStream answers) {
        this.scratch = scratch;
        this.answers = answers;
    }

    void answer(int number, long seed) throws Exception {
        Random chance = new Random(seed);
        RandomLog random = new RandomLog(chance, new File(scratch, "checked-" + number));
        random.configure(random.pick(1500, 6000), 4096);
        List<Sent> sent = new ArrayList<>();
        for (int id = 0; id < 1 + chance.nextInt(3); id++) {
            sent.add(new Sent(2000 + id, random.pick(0, 0, 0, Integer.MAX_VALUE - 8), chance.nextBoolean()));
        }
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        answer.put("part", "producers").put("name", Integer.toString(number)).put("seed", seed);
        ObjectNode refusals = answer.putObject("refused");
        ProducerStateManager state = state(random);
        UnifiedLog log = random.open();
        int steps = chance.nextInt(60);
        for (int step = 0; step < steps; step++) {
            random.clock.now += chance.nextInt(1000);
            MemoryRecords records = sent.get(chance.nextInt(sent.size())).next(random, log.logEndOffset());
            RecordBatch batch = records.batches().iterator().next();
            String refused = ClientAppend.refusal(state, batch);
            if (refused != null) {
                refusals.put(Long.toString(batch.baseOffset()), refused);
            }
            if (refused == null || ClientAppend.isAhead(state, batch)) {
                ClientAppend.replay(state, batch);
            }
            log.appendAsFollower(records, Integer.MAX_VALUE);
        }
        random.close(log, log.logEndOffset());
        answers.println(answer);
    }

    private static ProducerStateManager state(RandomLog random) throws IOException {
        File directory = new File(random.logDir, "state");
        Files.createDirectory(directory.toPath());
        return new ProducerStateManager(
            RandomLog.PARTITION, directory, 900_000, new ProducerStateManagerConfig(Integer.MAX_VALUE, false), random.clock);
    }

    /** The batches that a producer has sent, and its next one, correct or not. */
    private static final class Sent {
        private final long id;
        private final List<Batch> batches = new ArrayList<>();
        private short epoch;
        private int sequence;
        private final boolean isTransactional;

        Sent(long id, int sequence, boolean isTransactional) {
            this.id = id;
            this.isTransactional = isTransactional;
            this.sequence = sequence;
        }

        MemoryRecords next(RandomLog random, long offset) {
            Random chance = random.chance;
            int kind = chance.nextInt(100);
            if (isTransactional && kind < 12) {
                return marker(random, offset);
            }
            if (kind < 24 && !batches.isEmpty()) {
                return records(random, offset, batches.get(chance.nextInt(batches.size())));
            }
            if (kind < 30) {
                sequence = plus(sequence, 1 + chance.nextInt(3));
            } else if (kind < 34) {
                sequence = Math.max(0, sequence - 1 - chance.nextInt(3));
            } else if (kind < 40) {
                epoch++;
                sequence = chance.nextInt(3) == 0 ? 1 + chance.nextInt(5) : 0;
            } else if (kind < 43 && epoch > 0) {
                return records(random, offset, new Batch((short) (epoch - 1), sequence, 1 + chance.nextInt(3)));
            }
            Batch batch = new Batch(epoch, sequence, 1 + chance.nextInt(3));
            sequence = plus(sequence, batch.count);
            batches.add(batch);
            if (batches.size() > REMEMBERED) {
                batches.remove(0);
            }
            return records(random, offset, batch);
        }

        private MemoryRecords marker(RandomLog random, long offset) {
            int kind = random.chance.nextInt(6);
            short marked = epoch;
            if (kind == 0 && epoch > 0) {
                marked--;
            } else if (kind < 3) {
                marked = ++epoch;
                sequence = 0;
            }
            ControlRecordType type = random.pick(ControlRecordType.COMMIT, ControlRecordType.ABORT);
            return MemoryRecords.withEndTransactionMarker(
                offset, random.clock.now, 0, id, marked, new EndTransactionMarker(type, 0));
        }

        private MemoryRecords records(RandomLog random, long offset, Batch batch) {
            MemoryRecordsBuilder builder = MemoryRecords.builder(
                ByteBuffer.allocate(1024), RecordBatch.MAGIC_VALUE_V2, Compression.NONE, TimestampType.CREATE_TIME, offset,
                RecordBatch.NO_TIMESTAMP, id, batch.epoch, batch.sequence, isTransactional, false, 0);
            for (int number = 0; number < batch.count; number++) {
                builder.append(random.clock.now, null, new byte[] {(byte) number});
            }
            return builder.build();
        }

        private static int plus(int sequence, int count) {
            return (int) ((sequence + (long) count) % (Integer.MAX_VALUE + 1L));
        }
    }

    private record Batch(short epoch, int sequence, int count) {
    }
}
