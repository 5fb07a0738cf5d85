import java.io.File;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Lets Kafka do with random logs what operations.judge predicts: see CleanedLogs, DeletedSegments, CheckedProducers,
 * DivergedPairs and TransactionalReads.
 *
 * <p>Takes a directory to write logs into, the seed, and the number of cases of each part. Answers with a line of JSON a
 * case; the seed in it makes the same case again.
 */
public final class OperationsJudge {
    private OperationsJudge() {
    }

    public static void main(String[] arguments) throws Exception {
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "off");
        File scratch = new File(arguments[0]);
        long seed = Long.parseLong(arguments[1]);
        PrintStream answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        List<Part> parts = List.of(
            new CleanedLogs(scratch, answers)::answer,
            new DeletedSegments(scratch, answers)::answer,
            new CheckedProducers(scratch, answers)::answer,
            new DivergedPairs(scratch, answers)::answer,
            new TransactionalReads(scratch, answers)::answer);
        for (int part = 0; part < parts.size(); part++) {
            for (int number = 0; number < Integer.parseInt(arguments[2 + part]); number++) {
                parts.get(part).answer(number, seed + number);
            }
        }
        answers.flush();
    }

    /** Generates a case and answers. */
    private interface Part {
        void answer(int number, long seed) throws Exception;
    }
}
