package kafka_judge;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.util.Scheduler;

/** Runs tasks that are due immediately in the calling thread, and never runs later ones. */
public final class AtOnce implements Scheduler {
    private static final ScheduledThreadPoolExecutor NEVER = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    });

    @Override
    public void startup() {
    }

    @Override
    public void shutdown() {
    }

    @Override
    public ScheduledFuture<?> schedule(String name, Runnable task, long delayMs, long periodMs) {
        if (delayMs <= 0 && periodMs < 0) {
            task.run();
        }
        return NEVER.schedule(() -> { }, Long.MAX_VALUE, TimeUnit.NANOSECONDS);  // something to be cancelled
    }

    @Override
    public void resizeThreadPool(int threads) {
    }
}
