import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.tools.DumpLogSegments;

/**
 * Runs Kafka's DumpLogSegments again and again, in one Java.
 *
 * <p>Takes a run a line from standard input, its arguments with tabs between them, and answers on standard output: what
 * the tool wrote to its standard output and to its standard error, and how it died (nothing if it did not), each in
 * UTF-8 after its length of four bytes.
 */
public final class DumpJudge {
    private DumpJudge() {}

    public static void main(String[] ignored) throws IOException {
        DataOutputStream answers = new DataOutputStream(new FileOutputStream(FileDescriptor.out));
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                answer(line.split("\t"), answers);
            }
        }
    }

    private static void answer(String[] arguments, DataOutputStream answers) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        String death = "";
        try (PrintStream stdout = new PrintStream(out, false, StandardCharsets.UTF_8);
                PrintStream stderr = new PrintStream(err, false, StandardCharsets.UTF_8)) {
            System.setOut(stdout);
            System.setErr(stderr);
            DumpLogSegments.main(arguments);
        } catch (Throwable thrown) {
            death = thrown.toString();
        }
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        DataOutputStream fields = new DataOutputStream(answer);
        for (byte[] field : new byte[][] {out.toByteArray(), err.toByteArray(), death.getBytes(StandardCharsets.UTF_8)}) {
            fields.writeInt(field.length);
            fields.write(field);
        }
        answers.write(answer.toByteArray());
        answers.flush();
    }
}
