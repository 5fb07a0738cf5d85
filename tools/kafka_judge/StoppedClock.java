package kafka_judge;

import org.apache.kafka.common.utils.Time;

/** A clock whose time never advances. */
public final class StoppedClock implements Time {
    public long now;

    public StoppedClock(long now) {
        this.now = now;
    }

    @Override
    public long milliseconds() {
        return now;
    }

    @Override
    public long nanoseconds() {
        return now * 1_000_000;
    }

    @Override
    public void sleep(long milliseconds) {
        throw new UnsupportedOperationException("this clock stands still");
    }
}
