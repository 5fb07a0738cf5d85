import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Mirrors a topic to another broker: committed records alone, their times kept, after a few records of its own in each
 * partition. Prints a line a record: partition, offset there, offset here.
 */
final class MirrorTopic {
    private static final int OWN_RECORDS = 7;
    private static final long OWN_TIME = 1_700_000_000_000L;

    private MirrorTopic() {
    }

    public static void main(String[] arguments) throws Exception {
        String from = arguments[0];
        String to = arguments[1];
        String topic = arguments[2];
        Map<String, Object> reading = Map.of("bootstrap.servers", from, "isolation.level", "read_committed");
        Map<String, Object> writing = Map.of("bootstrap.servers", to, "enable.idempotence", "true");
        try (Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(reading, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            Producer<byte[], byte[]> producer =
                new KafkaProducer<>(writing, new ByteArraySerializer(), new ByteArraySerializer());
            Admin admin = Admin.create(Map.of("bootstrap.servers", to))) {
            List<TopicPartition> partitions = new ArrayList<>();
            consumer.partitionsFor(topic).forEach(each -> partitions.add(new TopicPartition(topic, each.partition())));
            admin.createTopics(List.of(new NewTopic(topic, partitions.size(), (short) 1))).all().get();
            for (TopicPartition partition : partitions) {
                for (int count = 0; count < OWN_RECORDS; count++) {
                    byte[] own = ("own-" + count).getBytes("UTF-8");
                    producer.send(new ProducerRecord<>(topic, partition.partition(), OWN_TIME, own, own)).get();
                }
            }
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofSeconds(1));
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    Future<RecordMetadata> sent = producer.send(new ProducerRecord<>(
                        topic, record.partition(), record.timestamp(), record.key(), record.value()));
                    System.out.println(record.partition() + " " + record.offset() + " " + sent.get().offset());
                }
            }
        }
    }
}
