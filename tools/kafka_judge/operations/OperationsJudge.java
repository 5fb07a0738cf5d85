import java.io.File;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Lets Kafka do with random logs what operations.judge predicts: see CleanedLogs, DeletedSegments and CheckedProducers.
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
        CleanedLogs cleaned = new CleanedLogs(scratch, answers);
        for (int number = 0; number < Integer.parseInt(arguments[2]); number++) {
            cleaned.answer(number, seed + number);
        }
        DeletedSegments deleted = new DeletedSegments(scratch, answers);
        for (int number = 0; number < Integer.parseInt(arguments[3]); number++) {
            deleted.answer(number, seed + number);
        }
        CheckedProducers checked = new CheckedProducers(scratch, answers);
        for (int number = 0; number < Integer.parseInt(arguments[4]); number++) {
            checked.answer(number, seed + number);
        }
        answers.flush();
    }
}
