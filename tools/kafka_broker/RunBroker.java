import java.io.IOException;
import java.util.Arrays;
import kafka.Kafka;
import kafka.tools.StorageTool;

/** Kafka's own storage tool, if asked to format, and then its broker, which dies with the process that started it. */
final class RunBroker {
    private RunBroker() {}

    /**
     * @param arguments those of the broker, its properties file first; before them {@code --format} and a cluster id
     *     if the log directories are new
     */
    public static void main(String[] arguments) {
        String[] own = arguments;
        if (own[0].equals("--format")) {
            String cluster = own[1];
            own = Arrays.copyOfRange(own, 2, own.length);
            int status = StorageTool.execute(new String[] {"format", "--cluster-id=" + cluster, "-c", own[0]}, System.err);
            if (status != 0) {
                System.exit(status);
            }
        }
        Thread watch = new Thread(RunBroker::dieWithParent, "parent-watch");
        watch.setDaemon(true);
        watch.start();
        Kafka.main(own);
    }

    /** The parent holds the other end of standard input, which closes only when the parent has ended. */
    private static void dieWithParent() {
        try {
            while (System.in.read() >= 0) {
                continue;
            }
        } catch (IOException gone) {
            System.err.println(gone);
        }
        Runtime.getRuntime().halt(1);
    }
}
