package org.apache.kafka.storage.internals.log;

import java.io.IOException;
import java.util.Optional;

/** Gives access to the part of a log that LogCleanerManager finds cleanable, whether or not it picks the log. */
public final class CleanableLog {
    private CleanableLog() {
    }

    /** The part that a pass would clean of a log that is clean below a checkpoint. */
    public static LogToClean of(UnifiedLog log, Optional<Long> checkpoint, long now) throws IOException {
        LogCleanerManager.OffsetsToClean offsets = LogCleanerManager.cleanableOffsets(log, checkpoint, now);
        return new LogToClean(log, offsets.firstDirtyOffset(), offsets.firstUncleanableDirtyOffset(), false);
    }
}
