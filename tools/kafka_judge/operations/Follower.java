import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import kafka.server.AbstractFetcherThread;
import kafka.server.FailedPartitions;
import kafka.server.InitialFetchState;
import kafka.server.OffsetTruncationState;
import kafka.server.TierStateMachine;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.server.LeaderEndPoint;
import org.apache.kafka.server.PartitionFetchState;
import org.apache.kafka.server.ReplicaFetch;
import org.apache.kafka.server.ResultWithPartitions;
import org.apache.kafka.server.common.OffsetAndEpoch;
import org.apache.kafka.server.network.BrokerEndPoint;
import org.apache.kafka.storage.internals.log.LogAppendInfo;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import scala.Option;

/**
 * Kafka's AbstractFetcherThread with one log of its own, which follows another log up to the first records that it gets.
 *
 * <p>What a leader answers to a fetch is retyped (Partition.readRecords), as a Partition needs a broker.
 */
final class Follower extends AbstractFetcherThread {
    private static final int MOST_FETCHES = 1000;
    private static final BrokerEndPoint LEADER = new BrokerEndPoint(1, "localhost", 9092);

    private final UnifiedLog log;
    private boolean isFetching;

    private Follower(UnifiedLog log, LeaderEndPoint leader) {
        super(
            "follower", "follower", leader, new FailedPartitions(), new TierStateMachine(leader, null, false), 0, false,
            RandomLog.STATS);
        this.log = log;
    }

    /** Lets a log follow another one in a new epoch; afterwards both are as at the first fetch of records. */
    static void follow(UnifiedLog log, UnifiedLog leader, int epoch) {
        Follower follower = new Follower(log, new Leader(leader));
        long offset = log.latestEpoch().isPresent() ? log.logEndOffset() : log.highWatermark();
        InitialFetchState state = new InitialFetchState(Option.apply(RandomLog.TOPIC_ID), LEADER, epoch, offset);
        follower.addPartitions(scala.jdk.javaapi.CollectionConverters.asScala(Map.of(RandomLog.PARTITION, state)));
        for (int fetches = 0; !follower.isFetching; fetches++) {
            if (fetches == MOST_FETCHES) {
                throw new IllegalStateException("the follower gets no records");
            }
            follower.doWork();
        }
        follower.removeAllPartitions();
    }

    @Override
    public Option<LogAppendInfo> processPartitionData(
        TopicPartition partition, long offset, int epoch, FetchResponseData.PartitionData data) {
        isFetching = true;
        return Option.empty();
    }

    @Override
    public void truncate(TopicPartition partition, OffsetTruncationState state) {
        log.truncateTo(state.offset());
    }

    @Override
    public void truncateFullyAndStartAt(TopicPartition partition, long offset) {
        log.truncateFullyAndStartAt(offset, Optional.empty());
    }

    @Override
    public Optional<Integer> latestEpoch(TopicPartition partition) {
        return log.latestEpoch();
    }

    @Override
    public long logStartOffset(TopicPartition partition) {
        return log.logStartOffset();
    }

    @Override
    public long logEndOffset(TopicPartition partition) {
        return log.logEndOffset();
    }

    @Override
    public Optional<OffsetAndEpoch> endOffsetForEpoch(TopicPartition partition, int epoch) {
        return log.endOffsetForEpoch(epoch);
    }

    @Override
    public boolean shouldFetchFromLastTieredOffset(TopicPartition partition, long leaderEnd, long end) {
        return false;
    }

    /** A log that leads. */
    private record Leader(UnifiedLog log) implements LeaderEndPoint {
        @Override
        public boolean isTruncationOnFetchSupported() {
            return true;
        }

        @Override
        public void initiateClose() {
        }

        @Override
        public void close() {
        }

        @Override
        public BrokerEndPoint brokerEndPoint() {
            return LEADER;
        }

        @Override
        public Map<TopicPartition, FetchResponseData.PartitionData> fetch(FetchRequest.Builder request) {
            FetchRequest.PartitionData asked = request.fetchData().get(RandomLog.PARTITION);
            FetchResponseData.PartitionData answer = new FetchResponseData.PartitionData();
            answer.setHighWatermark(log.highWatermark()).setLogStartOffset(log.logStartOffset());
            if (asked.fetchOffset < log.logStartOffset() || asked.fetchOffset > log.logEndOffset()) {
                answer.setErrorCode(Errors.OFFSET_OUT_OF_RANGE.code());
            }
            if (asked.fetchOffset >= log.logStartOffset() && asked.lastFetchedEpoch.isPresent()) {
                int last = asked.lastFetchedEpoch.get();
                Optional<OffsetAndEpoch> end = log.endOffsetForEpoch(last);
                if (end.isEmpty() || end.get().offset() < 0 || end.get().epoch() < 0) {
                    answer.setErrorCode(Errors.OFFSET_OUT_OF_RANGE.code());
                } else if (end.get().epoch() < last || end.get().offset() < asked.fetchOffset) {
                    answer.setErrorCode(Errors.NONE.code());
                    answer.divergingEpoch().setEpoch(end.get().epoch()).setEndOffset(end.get().offset());
                }
            }
            return Map.of(RandomLog.PARTITION, answer);
        }

        @Override
        public OffsetAndEpoch fetchEarliestOffset(TopicPartition partition, int epoch) {
            return new OffsetAndEpoch(log.logStartOffset(), epoch);
        }

        @Override
        public OffsetAndEpoch fetchLatestOffset(TopicPartition partition, int epoch) {
            return new OffsetAndEpoch(log.logEndOffset(), epoch);
        }

        @Override
        public OffsetAndEpoch fetchEarliestLocalOffset(TopicPartition partition, int epoch) {
            return new OffsetAndEpoch(log.logStartOffset(), epoch);
        }

        @Override
        public OffsetAndEpoch fetchEarliestPendingUploadOffset(TopicPartition partition, int epoch) {
            throw new UnsupportedOperationException("there is no tier");
        }

        @Override
        public Map<TopicPartition, OffsetForLeaderEpochResponseData.EpochEndOffset> fetchEpochEndOffsets(
            Map<TopicPartition, OffsetForLeaderEpochRequestData.OffsetForLeaderPartition> partitions) {
            throw new UnsupportedOperationException("fetches tell where logs part");
        }

        @Override
        public ResultWithPartitions<Optional<ReplicaFetch>> buildFetch(Map<TopicPartition, PartitionFetchState> states) {
            PartitionFetchState state = states.get(RandomLog.PARTITION);
            Map<TopicPartition, FetchRequest.PartitionData> asked = Map.of(
                RandomLog.PARTITION,
                new FetchRequest.PartitionData(
                    state.topicId().orElse(Uuid.ZERO_UUID), state.fetchOffset(), 0, Integer.MAX_VALUE,
                    Optional.of(state.currentLeaderEpoch()), state.lastFetchedEpoch()));
            FetchRequest.Builder request = FetchRequest.Builder.forReplica((short) 17, 2, 1L, 0, 1, asked);
            return new ResultWithPartitions<>(Optional.of(new ReplicaFetch(asked, request)), Set.of());
        }
    }
}
