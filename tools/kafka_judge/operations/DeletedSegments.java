import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/**
 * Random logs whose old segments Kafka's UnifiedLog deletes.
 *
 * <p>The answer: the moment, configs, base offsets of the segments that go, and the log start offset after it. Sometimes
 * an index is lost before.
 */
final class DeletedSegments {
    private final File scratch;
    private final PrintStream answers;

    DeletedSegments(File scratch, PrintStream answers) {
        this.scratch = scratch;
        this.answers = answers;
    }

    void answer(int number, long seed) throws Exception {
        Random chance = new Random(seed);
        RandomLog random = new RandomLog(chance, new File(scratch, "deleted-" + number));
        random.configure(random.pick(1500, 3000, 6000), 4096);
        UnifiedLog log = random.open();
        random.append(log, chance.nextInt(100));
        long highWatermark = random.settle(log);
        random.close(log, highWatermark);
        if (chance.nextInt(3) == 0) {
            lose(random, random.pick(".timeindex", ".timeindex", ".index"));
        }
        RandomLog.copy(random.logDir, new File(scratch, "kept-" + number));
        random.configs.put("cleanup.policy", random.pick("delete", "delete", "delete", "compact,delete", "compact", ""));
        long hours = chance.nextInt(30) * RandomLog.HOUR;
        random.configs.put("retention.ms", Long.toString(random.pick(-1L, 0L, hours, hours, hours, hours)));
        long size = random.directory().listFiles().length * (long) chance.nextInt(600);
        random.configs.put("retention.bytes", Long.toString(random.pick(-1L, -1L, 0L, size, size)));
        random.clock.now += random.pick(0, 1, 30, 60) * RandomLog.HOUR + chance.nextInt(3);
        log = random.open();
        log.updateHighWatermark(highWatermark);
        List<Long> before = RandomLog.baseOffsets(log);
        log.deleteOldSegments();
        List<Long> gone = new ArrayList<>(before);
        gone.removeAll(RandomLog.baseOffsets(log));
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        answer.put("part", "retention").put("name", Integer.toString(number)).put("seed", seed);
        answer.put("at", random.clock.now).put("logStartOffset", log.logStartOffset());
        answer.set("config", random.asked());
        gone.forEach(answer.putArray("gone")::add);
        answers.println(answer);
        log.close();
    }

    private static void lose(RandomLog random, String suffix) throws IOException {
        for (File file : random.directory().listFiles((where, name) -> name.endsWith(suffix))) {
            if (random.chance.nextInt(3) == 0 && !file.delete()) {
                throw new IOException(file + " stays");
            }
        }
    }
}
