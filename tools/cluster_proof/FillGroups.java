import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Groups of every type: with members, with members that left, and without members. */
final class FillGroups {
    private static final Duration SHORTLY = Duration.ofMillis(20);
    private static final List<String> TOPICS = List.of("orders", "clicks");
    private static final int PARTITIONS = 6;

    private final String servers;
    private final Admin admin;
    private final List<Object> members = new ArrayList<>(); // held, so that they stay

    FillGroups(String servers, Admin admin) {
        this.servers = servers;
        this.admin = admin;
    }

    void fill() throws Exception {
        for (Class<?> assignor : List.of(
                RangeAssignor.class,
                RoundRobinAssignor.class,
                StickyAssignor.class,
                CooperativeStickyAssignor.class)) {
            stays(members("classic-" + assignor.getSimpleName(), 2, classic(assignor)));
        }
        Map<String, Object> isStatic = classic(RangeAssignor.class);
        isStatic.put("group.instance.id", "instance-");
        stays(members("classic-static", 2, isStatic));
        for (KafkaConsumer<byte[], byte[]> left : stays(members("classic-left", 1, classic(RangeAssignor.class)))) {
            left.close();
        }
        stays(members("consumer-1", 2, Map.of("group.protocol", "consumer")));
        stays(members("consumer-2", 1, Map.of("group.protocol", "consumer", "group.instance.id", "static-")));
        pattern();
        for (KafkaConsumer<byte[], byte[]> left : stays(members("consumer-left", 1, Map.of("group.protocol", "consumer")))) {
            left.close();
        }
        simple();
        share();
        try (Wire wire = new Wire(servers)) {
            wire.joinStreamsGroup("streams-1", "orders");
        }
        admin.alterStreamsGroupOffsets("streams-left", Map.of(partition("orders", 0), new OffsetAndMetadata(1))).all();
    }

    private static Map<String, Object> classic(Class<?> assignor) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("group.protocol", "classic");
        settings.put("partition.assignment.strategy", assignor.getName());
        settings.put("session.timeout.ms", 600_000); // nobody is thrown out while the broker is down
        settings.put("max.poll.interval.ms", 700_000);
        return settings;
    }

    private List<KafkaConsumer<byte[], byte[]>> members(String group, int count, Map<String, Object> settings) {
        List<KafkaConsumer<byte[], byte[]>> joining = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            Map<String, Object> all = new HashMap<>(settings);
            all.computeIfPresent("group.instance.id", (name, value) -> value + Integer.toString(joining.size()));
            all.put("client.id", group + "-client-" + number);
            KafkaConsumer<byte[], byte[]> consumer = consumer(group, all);
            joining.add(consumer);
            consumer.subscribe(TOPICS);
        }
        return joining;
    }

    KafkaConsumer<byte[], byte[]> consumer(String group, Map<String, Object> settings) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put("bootstrap.servers", servers);
        all.put("group.id", group);
        all.put("auto.offset.reset", "earliest");
        all.put("enable.auto.commit", "false");
        return new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Polls until the members have shared all partitions, and lets each commit its own. */
    private List<KafkaConsumer<byte[], byte[]>> stays(List<KafkaConsumer<byte[], byte[]>> joining) {
        members.addAll(joining);
        for (int attempt = 0, steady = 0; steady < 5; attempt++) {
            Set<TopicPartition> taken = new HashSet<>();
            int count = 0;
            for (KafkaConsumer<byte[], byte[]> consumer : joining) {
                consumer.poll(SHORTLY);
                taken.addAll(consumer.assignment());
                count += consumer.assignment().size();
            }
            boolean idle = joining.stream().anyMatch(consumer -> consumer.assignment().isEmpty());
            steady = idle || taken.size() != PARTITIONS || count != PARTITIONS ? 0 : steady + 1;
            if (attempt == 2000) {
                throw new IllegalStateException(joining.get(0).groupMetadata().groupId() + " shares " + taken);
            }
        }
        for (KafkaConsumer<byte[], byte[]> consumer : joining) {
            Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
            for (TopicPartition partition : consumer.assignment()) {
                Optional<Integer> epoch = partition.partition() == 1 ? Optional.empty() : Optional.of(0);
                offsets.put(partition, new OffsetAndMetadata(5 + partition.partition(), epoch, "by \u00fc " + partition));
            }
            consumer.commitSync(offsets);
        }
        return joining;
    }

    private void pattern() {
        KafkaConsumer<byte[], byte[]> consumer = consumer("consumer-pattern", Map.of("group.protocol", "consumer"));
        consumer.subscribe(new SubscriptionPattern("orders|clicks"));
        stays(List.of(consumer));
    }

    /** Groups that never had a member, with offsets that are kept, replaced, deleted, or deleted with their group. */
    private void simple() throws Exception {
        TopicPartition first = partition("orders", 0);
        TopicPartition second = partition("clicks", 1);
        try (KafkaConsumer<byte[], byte[]> consumer = consumer("simple-1", Map.of())) {
            consumer.assign(List.of(first, second));
            consumer.commitSync(Map.of(first, new OffsetAndMetadata(1, "old")));
            consumer.commitSync(Map.of(
                    first, new OffsetAndMetadata(2, "long " + "\u6771\u4eac ".repeat(300)),
                    second, new OffsetAndMetadata(0)));
        }
        admin.alterConsumerGroupOffsets("simple-2", Map.of(first, new OffsetAndMetadata(3), second, new OffsetAndMetadata(4)))
                .all()
                .get();
        admin.deleteConsumerGroupOffsets("simple-2", Set.of(second)).all().get();
        for (String group : List.of("deleted-1", "deleted-2")) {
            admin.alterConsumerGroupOffsets(group, Map.of(first, new OffsetAndMetadata(7))).all().get();
        }
        admin.deleteConsumerGroups(List.of("deleted-1", "deleted-2")).all().get();
        admin.alterConsumerGroupOffsets("deleted-2", Map.of(second, new OffsetAndMetadata(8))).all().get();
    }

    private void share() {
        KafkaShareConsumer<byte[], byte[]> consumer = new KafkaShareConsumer<>(
                Map.of("bootstrap.servers", servers, "group.id", "share-1", "client.id", "share-client"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        members.add(consumer);
        consumer.subscribe(TOPICS);
        int records = 0;
        for (int attempt = 0; records < 40 && attempt < 2000; attempt++) {
            records += consumer.poll(SHORTLY).count();
        }
        if (records == 0) {
            throw new IllegalStateException("share-1 is given no records");
        }
        consumer.commitSync();
    }

    private static TopicPartition partition(String topic, int number) {
        return new TopicPartition(topic, number);
    }
}
