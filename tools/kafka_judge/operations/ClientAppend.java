package org.apache.kafka.storage.internals.log;

import java.util.Optional;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.record.internal.RecordBatch;

/** Gives access to a leader's check of a batch from a client or a coordinator against its producer state. */
public final class ClientAppend {
    private ClientAppend() {
    }

    /** Why the batch is rejected: "duplicate", or the name of the exception; null if it is accepted. */
    public static String refusal(ProducerStateManager state, RecordBatch batch) {
        Optional<ProducerStateEntry> known = state.lastEntry(batch.producerId());
        if (!batch.isControlBatch() && known.flatMap(entry -> entry.findDuplicateBatch(batch)).isPresent()) {
            return "duplicate";
        }
        AppendOrigin origin = batch.isControlBatch() ? AppendOrigin.COORDINATOR : AppendOrigin.CLIENT;
        try {
            state.prepareUpdate(batch.producerId(), origin).append(batch, Optional.empty(), (short) 1);
            return null;
        } catch (ApiException refused) {
            return refused.getClass().getSimpleName();
        }
    }

    /** Whether a rejected batch is not entirely outdated: it has a sequence or an epoch above the known ones. */
    public static boolean isAhead(ProducerStateManager state, RecordBatch batch) {
        ProducerStateEntry known = state.lastEntry(batch.producerId()).orElseThrow();
        if (batch.isControlBatch() || batch.producerEpoch() != known.producerEpoch()) {
            return batch.producerEpoch() > known.producerEpoch();
        }
        int ahead = (batch.lastSequence() - known.lastSeq()) & Integer.MAX_VALUE;  // after the largest comes 0
        return known.isEmpty() || ahead > 0 && ahead < 1 << 30;
    }

    /** Adds a batch of the log, as the replay at a start does. */
    public static void replay(ProducerStateManager state, RecordBatch batch) {
        ProducerAppendInfo append = state.prepareUpdate(batch.producerId(), AppendOrigin.REPLICATION);
        Optional<CompletedTxn> completed = append.append(batch, Optional.empty());
        state.update(append);
        completed.ifPresent(state::completeTxn);
    }
}
