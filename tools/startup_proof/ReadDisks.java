import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Prints every record that a consumer gets: topic, partition, offset, timestamp, CRC-32 of its key and value. */
final class ReadDisks {
    private ReadDisks() {}

    public static void main(String[] arguments) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", arguments[0], "auto.offset.reset", "earliest", "enable.auto.commit", "false");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = new ArrayList<>();
            for (List<PartitionInfo> topic : consumer.listTopics().values()) {
                for (PartitionInfo each : topic) {
                    if (each.leader() != null) {
                        partitions.add(new TopicPartition(each.topic(), each.partition()));
                    }
                }
            }
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = new HashMap<>(consumer.endOffsets(partitions));
            long begun = System.nanoTime();
            while (ends.entrySet().stream().anyMatch(each -> consumer.position(each.getKey()) < each.getValue())) {
                if (System.nanoTime() - begun > Duration.ofSeconds(60).toNanos()) {
                    throw new IllegalStateException("not all records came: " + ends);
                }
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    System.out.println(record.topic() + " " + record.partition() + " " + record.offset() + " "
                            + record.timestamp() + " " + crc(record.key()) + " " + crc(record.value()));
                }
            }
        }
    }

    private static long crc(byte[] data) {
        CRC32 crc = new CRC32();
        crc.update(ByteBuffer.allocate(4).putInt(data == null ? -1 : data.length).flip());
        if (data != null) {
            crc.update(data);
        }
        return crc.getValue();
    }
}
