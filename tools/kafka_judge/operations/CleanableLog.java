package org.apache.kafka.storage.internals.log;

import java.io.IOException;
import java.util.Optional;

/** Opens what LogCleanerManager finds cleanable in a log, whether or not it picks it. */
public final class CleanableLog {
    private CleanableLog() {
    }

    /** What a pass would take of a log that is clean below a checkpoint. */
    public static LogToClean of(UnifiedLog log, Optional<Long> checkpoint, long now) throws IOException {
        LogCleanerManager.OffsetsToClean offsets = LogCleanerManager.cleanableOffsets(log, checkpoint, now);
        return new LogToClean(log, offsets.firstDirtyOffset(), offsets.firstUncleanableDirtyOffset(), false);
    }
}
