import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A day in a small shop: topics, producers, transactions and consumer groups, as docs/examples/shop/README.md tells it.
 *
 * <p>Nothing is closed at the end, so that members stay in their groups and an open transaction stays open.
 */
final class FillShop {
    private final String servers;

    private FillShop(String servers) {
        this.servers = servers;
    }

    public static void main(String[] arguments) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", arguments[0]))) {
            new FillShop(arguments[0]).fill(admin);
        }
        System.out.println("filled");
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private void fill(Admin admin) throws Exception {
        admin.createTopics(List.of(
            new NewTopic("orders", 3, (short) 1),
            new NewTopic("payments", 2, (short) 1),
            new NewTopic("page-views", 2, (short) 1).configs(Map.of("retention.ms", "-1", "compression.type", "zstd")),
            new NewTopic("customers", 1, (short) 1).configs(Map.of("cleanup.policy", "compact")),
            new NewTopic("orders-2019", 1, (short) 1))).all().get();
        admin.deleteTopics(List.of("orders-2019")).all().get();
        admin.alterClientQuotas(List.of(new ClientQuotaAlteration(
            new ClientQuotaEntity(Map.of(ClientQuotaEntity.CLIENT_ID, "page-tracker")),
            List.of(new ClientQuotaAlteration.Op("producer_byte_rate", 1_000_000.0))))).all().get();
        admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
            "till", new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), "not-the-real-one"))).all().get();
        admin.createAcls(List.of(new AclBinding(
            new ResourcePattern(ResourceType.TOPIC, "orders", PatternType.PREFIXED),
            new AccessControlEntry("User:till", "*", AclOperation.WRITE, AclPermissionType.ALLOW)))).all().get();

        Producer<String, String> tracker = producer(Map.of("client.id", "page-tracker"));
        for (int view = 0; view < 60; view++) {
            tracker.send(new ProducerRecord<>("page-views", view % 2, "visitor-" + view % 7, "/product/" + view % 11));
        }
        for (int customer = 0; customer < 6; customer++) {
            tracker.send(new ProducerRecord<>("customers", 0, "customer-" + customer, "{\"city\":\"Gent\"}"));
        }
        tracker.flush();

        Producer<String, String> till1 = transactional("till-1");
        Producer<String, String> till2 = transactional("till-2");
        for (int order = 0; order < 12; order++) {
            Producer<String, String> till = order % 2 == 0 ? till1 : till2;
            till.beginTransaction();
            sell(till, order);
            if (order == 7) {
                till.flush();
                till.abortTransaction();
            } else {
                till.commitTransaction();
            }
        }
        groups();
        open();
        hang(admin, "till-2");
        Producer<String, String> importer = producer(Map.of("client.id", "importer"));
        for (int order = 100; order < 105; order++) {
            importer.send(new ProducerRecord<>("orders", order % 3, "order-" + order, "{\"imported\":true}"));
        }
        importer.flush();
    }

    private static void sell(Producer<String, String> till, int order) {
        till.send(new ProducerRecord<>("orders", order % 3, "order-" + order, "{\"articles\":" + (1 + order % 4) + "}"));
        till.send(new ProducerRecord<>("payments", order % 2, "order-" + order, "{\"cents\":" + 999 * (1 + order) + "}"));
    }

    private void groups() throws Exception {
        Map<String, Object> classic = Map.of("partition.assignment.strategy", RangeAssignor.class.getName());
        List<Consumer<String, String>> billing = List.of(
            consumer("billing", "billing-a", classic), consumer("billing", "billing-b", classic));
        billing.forEach(member -> member.subscribe(List.of("orders", "payments")));
        settle(billing);
        for (Consumer<String, String> member : billing) {
            Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
            member.assignment().forEach(partition -> offsets.put(partition, new OffsetAndMetadata(4, "closed books")));
            member.commitSync(offsets);
        }

        List<Consumer<String, String>> search = List.of(
            consumer("search-index", "search", Map.of("group.protocol", "consumer")));
        search.get(0).subscribe(List.of("customers", "page-views"));
        settle(search);
        search.get(0).commitSync();

        Map<String, Object> cooperative = Map.of(
            "partition.assignment.strategy", CooperativeStickyAssignor.class.getName());
        List<Consumer<String, String>> reports = List.of(consumer("reports", "reports", cooperative));
        reports.get(0).subscribe(List.of("page-views"));
        settle(reports);
        reports.get(0).commitSync(Map.of(new TopicPartition("page-views", 0), new OffsetAndMetadata(10)));
        reports.get(0).close();
    }

    /** A till reads its sales, marks them as done in a transaction, and disappears before it ends another one. */
    private void open() throws Exception {
        Producer<String, String> till = transactional("till-3");
        List<Consumer<String, String>> reader = List.of(consumer("refunds", "refunds", Map.of()));
        reader.get(0).subscribe(List.of("payments"));
        settle(reader);
        for (long offset : new long[] {3, 6}) {
            till.beginTransaction();
            till.send(new ProducerRecord<>("orders", 1, "refund-" + offset, "{\"refund\":true}"));
            till.sendOffsetsToTransaction(
                Map.of(new TopicPartition("payments", 0), new OffsetAndMetadata(offset)), reader.get(0).groupMetadata());
            if (offset == 3) {
                till.commitTransaction();
            }
        }
        till.flush();
    }

    /** Appends to a transaction unknown to its coordinator, as a delayed request of an old client could. */
    private void hang(Admin admin, String transactionalId) throws Exception {
        TransactionDescription known =
            admin.describeTransactions(List.of(transactionalId)).description(transactionalId).get();
        MemoryRecords records = MemoryRecords.withTransactionalRecords(
            RecordBatch.MAGIC_VALUE_V2, 0L, Compression.NONE, known.producerId(), (short) (known.producerEpoch() + 1), 0,
            RecordBatch.NO_PARTITION_LEADER_EPOCH,
            new SimpleRecord(System.currentTimeMillis(), bytes("order-late"), bytes("{\"articles\":1}")));
        ProduceRequestData data = new ProduceRequestData()
            .setTransactionalId(transactionalId).setAcks((short) -1).setTimeoutMs(30_000);
        data.topicData().add(new ProduceRequestData.TopicProduceData().setName("orders").setPartitionData(List.of(
            new ProduceRequestData.PartitionProduceData().setIndex(0).setRecords(records))));
        try (Connection connection = new Connection(servers)) {
            short version = 9;
            ByteBuffer answer = connection.exchange(
                new ProduceRequest(data, version).serializeWithHeader(connection.header(ApiKeys.PRODUCE, version)));
            // The error code follows correlation id, tags, one topic with its name and one partition with its number.
            int error = answer.getShort(4 + 1 + 1 + 1 + "orders".length() + 1 + 4);
            if (error != 0) {
                throw new IllegalStateException("the broker refuses a late record with error " + error);
            }
        }
    }

    private static void settle(List<Consumer<String, String>> members) {
        List<ConsumerRecord<String, String>> read = new ArrayList<>();
        int calm = 0;
        while (calm < 8) {
            for (Consumer<String, String> member : members) {
                member.poll(Duration.ofMillis(100)).forEach(read::add);
            }
            boolean all = members.stream().noneMatch(member -> member.assignment().isEmpty());
            calm = all && !read.isEmpty() ? calm + 1 : 0;
        }
    }

    private Producer<String, String> producer(Map<String, Object> settings) {
        Properties all = new Properties();
        all.putAll(settings);
        all.put("bootstrap.servers", servers);
        return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
    }

    private Producer<String, String> transactional(String id) {
        Producer<String, String> producer = producer(Map.of("transactional.id", id, "client.id", id));
        producer.initTransactions();
        return producer;
    }

    private Consumer<String, String> consumer(String group, String client, Map<String, Object> settings) {
        Properties all = new Properties();
        all.putAll(settings);
        all.put("bootstrap.servers", servers);
        all.put("group.id", group);
        all.put("client.id", client);
        all.put("auto.offset.reset", "earliest");
        all.put("enable.auto.commit", "false");
        return new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
