import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.InitProducerIdRequest;
import org.apache.kafka.common.requests.InitProducerIdResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.StreamsGroupHeartbeatRequest;
import org.apache.kafka.common.requests.StreamsGroupHeartbeatResponse;

/** Requests that no client would send as the proof needs them. */
final class Wire implements AutoCloseable {
    private final Connection connection;

    Wire(String server) throws IOException {
        connection = new Connection(server);
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }

    /** A new producer id and epoch of a transactional id coordinated by this broker. */
    InitProducerIdResponseData initProducerId(String transactionalId, int timeoutMs) throws IOException {
        InitProducerIdRequestData data = new InitProducerIdRequestData()
                .setTransactionalId(transactionalId)
                .setTransactionTimeoutMs(timeoutMs);
        for (int attempt = 0; ; attempt++) {
            InitProducerIdResponse response =
                    (InitProducerIdResponse) ask(new InitProducerIdRequest.Builder(data).build((short) 5));
            Errors error = response.error();
            if (error == Errors.NONE) {
                return response.data();
            }
            if (attempt == 200) {
                throw error.exception();
            }
            pause();
        }
    }

    /** Transactional records unknown to the coordinator, as clients before transaction.version 2 could send. */
    void produceUnknownToCoordinator(String transactionalId, String topic, InitProducerIdResponseData producer, int count)
            throws IOException {
        SimpleRecord[] records = new SimpleRecord[count];
        for (int number = 0; number < count; number++) {
            records[number] = new SimpleRecord(System.currentTimeMillis(), null, new byte[10]);
        }
        ProduceRequestData.TopicProduceData content = new ProduceRequestData.TopicProduceData().setName(topic);
        content.partitionData()
                .add(new ProduceRequestData.PartitionProduceData()
                        .setIndex(0)
                        .setRecords(MemoryRecords.withTransactionalRecords(
                                Compression.NONE, producer.producerId(), producer.producerEpoch(), 0, records)));
        ProduceRequestData data = new ProduceRequestData()
                .setTransactionalId(transactionalId)
                .setAcks((short) -1)
                .setTimeoutMs(30_000);
        data.topicData().add(content);
        ProduceResponse response = (ProduceResponse) ask(ProduceRequest.builder(data, true).build((short) 11));
        Errors error = Errors.forCode(
                response.data().responses().iterator().next().partitionResponses().get(0).errorCode());
        if (error != Errors.NONE) {
            throw error.exception();
        }
    }

    /** A streams group member with one subtopology that reads a topic; it takes its assignment, then falls silent. */
    void joinStreamsGroup(String group, String topic) throws IOException {
        StreamsGroupHeartbeatRequestData data = new StreamsGroupHeartbeatRequestData()
                .setGroupId(group)
                .setMemberId(Uuid.randomUuid().toString())
                .setMemberEpoch(0)
                .setRebalanceTimeoutMs(300_000)
                .setProcessId("process-1")
                .setActiveTasks(List.of())
                .setStandbyTasks(List.of())
                .setWarmupTasks(List.of())
                .setTopology(new StreamsGroupHeartbeatRequestData.Topology()
                        .setEpoch(0)
                        .setSubtopologies(List.of(new StreamsGroupHeartbeatRequestData.Subtopology()
                                .setSubtopologyId("0")
                                .setSourceTopics(List.of(topic)))));
        for (int attempt = 0; attempt < 200; attempt++) {
            StreamsGroupHeartbeatResponse response =
                    (StreamsGroupHeartbeatResponse) ask(new StreamsGroupHeartbeatRequest.Builder(data).build((short) 0));
            StreamsGroupHeartbeatResponseData answer = response.data();
            Errors error = Errors.forCode(answer.errorCode());
            if (error == Errors.NONE) {
                List<StreamsGroupHeartbeatResponseData.TaskIds> given = answer.activeTasks();
                if (answer.memberEpoch() == data.memberEpoch() && !data.activeTasks().isEmpty()) {
                    return;
                }
                data = new StreamsGroupHeartbeatRequestData()
                        .setGroupId(group)
                        .setMemberId(answer.memberId())
                        .setMemberEpoch(answer.memberEpoch())
                        .setActiveTasks(given == null ? data.activeTasks() : given.stream().map(Wire::taken).toList())
                        .setStandbyTasks(List.of())
                        .setWarmupTasks(List.of());
            } else if (error != Errors.COORDINATOR_LOAD_IN_PROGRESS && error != Errors.COORDINATOR_NOT_AVAILABLE) {
                throw error.exception(answer.errorMessage());
            }
            pause();
        }
        throw new IllegalStateException("the streams group assigns nothing");
    }

    private static StreamsGroupHeartbeatRequestData.TaskIds taken(StreamsGroupHeartbeatResponseData.TaskIds tasks) {
        return new StreamsGroupHeartbeatRequestData.TaskIds()
                .setSubtopologyId(tasks.subtopologyId())
                .setPartitions(tasks.partitions());
    }

    private AbstractResponse ask(AbstractRequest request) throws IOException {
        RequestHeader header = connection.header(request.apiKey(), request.version());
        return AbstractResponse.parseResponse(connection.exchange(request.serializeWithHeader(header)), header);
    }

    private static void pause() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}
