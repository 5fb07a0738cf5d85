import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialDeletion;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Fills a new cluster as operators and applications do, and leaves much of the work unfinished.
 *
 * <p>Prints a line {@code filled} when that is so, and then holds on to its groups and its transactions until standard
 * input ends.
 */
final class FillCluster {
    private static final int LONG_MS = 800_000;

    private final String servers;
    private final Admin admin;
    private final FillGroups groups;
    private final List<KafkaProducer<byte[], byte[]>> open = new ArrayList<>();

    private FillCluster(String servers, Admin admin) {
        this.servers = servers;
        this.admin = admin;
        groups = new FillGroups(servers, admin);
    }

    public static void main(String[] arguments) {
        int status = 1;
        try {
            Admin admin = Admin.create(Map.of("bootstrap.servers", arguments[0]));
            new FillCluster(arguments[0], admin).fill();
            System.out.println("filled");
            System.out.flush();
            while (System.in.read() >= 0) {
                continue;
            }
            status = 0;
        } catch (Exception error) {
            error.printStackTrace();
        }
        Runtime.getRuntime().halt(status); // to close the clients would leave the groups and end the transactions
    }

    private void fill() throws Exception {
        topics();
        configs();
        quotas();
        security();
        idempotentProducers();
        transactions();
        groups.fill();
        awaitTimeOut();
    }

    private void topics() throws Exception {
        admin.createTopics(List.of(
                        topic("orders", 4),
                        topic("clicks", 2),
                        topic("transactional", 3),
                        topic("idempotent", 3),
                        topic("odd.name_1-2", 1),
                        topic("grown", 1),
                        topic("deleted", 2),
                        topic("recreated", 1),
                        new NewTopic("compacted", Map.of(0, List.of(1), 1, List.of(1)))
                                .configs(Map.of("cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0.9"))))
                .all()
                .get();
        admin.deleteTopics(List.of("deleted", "recreated")).all().get();
        for (int attempt = 0; ; attempt++) {
            try {
                admin.createTopics(List.of(topic("recreated", 2))).all().get();
                break;
            } catch (ExecutionException stillThere) {
                if (attempt == 100) {
                    throw stillThere;
                }
                Thread.sleep(50);
            }
        }
        admin.createPartitions(Map.of("grown", NewPartitions.increaseTo(3))).all().get();
    }

    private static NewTopic topic(String name, int partitions) {
        return new NewTopic(name, partitions, (short) 1);
    }

    private void configs() throws Exception {
        alter(ConfigResource.Type.TOPIC, "orders", "retention.ms=3600000000", "segment.bytes=10485760");
        alter(ConfigResource.Type.TOPIC, "clicks", "retention.bytes=1000000", "max.message.bytes=2000000");
        alter(ConfigResource.Type.TOPIC, "clicks", "retention.bytes");
        alter(ConfigResource.Type.BROKER, "", "log.cleaner.threads=2", "max.connections=4000");
        alter(ConfigResource.Type.BROKER, "", "max.connections");
        alter(ConfigResource.Type.BROKER, "1", "log.cleaner.io.max.bytes.per.second=100000000");
        alter(ConfigResource.Type.GROUP, "share-1", "share.auto.offset.reset=earliest");
        alter(ConfigResource.Type.GROUP, "consumer-2", "consumer.session.timeout.ms=500000");
        alter(
                ConfigResource.Type.CLIENT_METRICS,
                "subscription-1",
                "interval.ms=60000",
                "metrics=org.apache.kafka.producer.",
                "match=client_software_name=java");
    }

    /** Each change is {@code name=value}, or a name alone that is deleted. */
    private void alter(ConfigResource.Type type, String name, String... changes) throws Exception {
        List<AlterConfigOp> operations = Arrays.stream(changes)
                .map(change -> change.split("=", 2))
                .map(parts -> new AlterConfigOp(
                        new ConfigEntry(parts[0], parts.length == 1 ? null : parts[1]),
                        parts.length == 1 ? OpType.DELETE : OpType.SET))
                .toList();
        admin.incrementalAlterConfigs(Map.of(new ConfigResource(type, name), operations)).all().get();
    }

    private void quotas() throws Exception {
        quota(Map.of("user", "alice"), "producer_byte_rate", 1048576.0);
        quota(Map.of("user", "alice", "client-id", "app"), "consumer_byte_rate", 2048.0);
        quota(Map.of("user", "bob"), "request_percentage", 12.25);
        quota(Map.of("ip", "10.1.2.3"), "connection_creation_rate", 7.0);
        Map<String, String> anyone = new HashMap<>();
        anyone.put("client-id", null);
        quota(anyone, "request_percentage", 200.0);
        quota(anyone, "producer_byte_rate", 5.0);
        quota(anyone, "producer_byte_rate", null);
        quota(Map.of("user", "bob"), "request_percentage", null);
    }

    private void quota(Map<String, String> entity, String name, Double value) throws Exception {
        ClientQuotaAlteration.Op operation = new ClientQuotaAlteration.Op(name, value);
        admin.alterClientQuotas(List.of(new ClientQuotaAlteration(new ClientQuotaEntity(entity), List.of(operation))))
                .all()
                .get();
    }

    private void security() throws Exception {
        List<AclBinding> bindings = List.of(
                acl(ResourceType.TOPIC, "orders", PatternType.LITERAL, "User:alice", AclOperation.READ, true),
                acl(ResourceType.TOPIC, "click", PatternType.PREFIXED, "User:bob", AclOperation.ALL, false),
                acl(ResourceType.GROUP, "*", PatternType.LITERAL, "User:*", AclOperation.DESCRIBE, true),
                acl(ResourceType.CLUSTER, "kafka-cluster", PatternType.LITERAL, "User:carol", AclOperation.ALTER, true),
                acl(ResourceType.TRANSACTIONAL_ID, "tx", PatternType.PREFIXED, "User:dave", AclOperation.WRITE, true));
        admin.createAcls(bindings).all().get();
        admin.deleteAcls(List.of(bindings.get(4).toFilter())).all().get();
        for (UserScramCredentialAlteration change : List.of(
                scram("alice", ScramMechanism.SCRAM_SHA_256, 8192),
                scram("alice", ScramMechanism.SCRAM_SHA_512, 4096),
                scram("gone", ScramMechanism.SCRAM_SHA_512, 4096),
                new UserScramCredentialDeletion("gone", ScramMechanism.SCRAM_SHA_512))) {
            admin.alterUserScramCredentials(List.of(change)).all().get();
        }
    }

    private static AclBinding acl(
            ResourceType type, String name, PatternType pattern, String principal, AclOperation what, boolean allow) {
        AclPermissionType permission = allow ? AclPermissionType.ALLOW : AclPermissionType.DENY;
        return new AclBinding(
                new ResourcePattern(type, name, pattern), new AccessControlEntry(principal, "*", what, permission));
    }

    private static UserScramCredentialUpsertion scram(String user, ScramMechanism mechanism, int iterations) {
        return new UserScramCredentialUpsertion(user, new ScramCredentialInfo(mechanism, iterations), "secret");
    }

    private void idempotentProducers() throws Exception {
        for (int number = 0; number < 4; number++) {
            KafkaProducer<byte[], byte[]> producer = producer(Map.of("enable.idempotence", "true"));
            for (int partition = number == 3 ? 2 : 0; partition < 3; partition++) {
                for (int record = 0; record <= 3 * number + partition; record++) {
                    send(producer, "idempotent", partition);
                }
            }
            producer.close();
        }
        try (KafkaProducer<byte[], byte[]> plain = producer(Map.of("enable.idempotence", "false"))) {
            for (String topic : List.of("orders", "clicks", "compacted", "odd.name_1-2")) {
                int partitions = plain.partitionsFor(topic).size();
                for (int record = 0; record < 40; record++) {
                    send(plain, topic, record % partitions);
                }
            }
            plain.flush();
        }
        TopicPartition partition = new TopicPartition("orders", 3);
        admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(4))).all().get();
    }

    private void transactions() throws Exception {
        transaction("tx-empty", LONG_MS).close();
        ended("tx-committed", true);
        ended("tx-aborted", false);
        for (int times = 0; times < 3; times++) {
            ended("tx-bumped \u00fc\u20ac", times != 1);
        }
        KafkaProducer<byte[], byte[]> several = transaction("tx-several", LONG_MS);
        for (int number = 0; number < 5; number++) {
            several.beginTransaction();
            send(several, "transactional", number % 3);
            send(several, "transactional", 1);
            if (number == 2) {
                several.abortTransaction();
            } else {
                several.commitTransaction();
            }
        }
        several.beginTransaction();
        send(several, "transactional", 0);
        send(several, "orders", 2);
        several.flush();
        open.add(several);

        KafkaProducer<byte[], byte[]> begun = transaction("tx-begun", LONG_MS); // and nothing sent
        begun.beginTransaction();
        open.add(begun);

        offsets("tx-offsets-committed", "txn-group", 0, 11, true);
        offsets("tx-offsets-aborted", "txn-group", 0, 12, false);
        offsets("tx-offsets-aborted-only", "txn-group-aborted", 0, 12, false);
        offsets("tx-offsets-open", "txn-group", 1, 13, null);
        offsets("tx-offsets-open-only", "txn-group-open", 0, 14, null);

        KafkaProducer<byte[], byte[]> late = transaction("tx-timed-out", 1000);
        late.beginTransaction();
        send(late, "transactional", 2);
        late.flush();
        open.add(late);

        KafkaProducer<byte[], byte[]> fenced = transaction("tx-fenced", LONG_MS);
        fenced.beginTransaction();
        send(fenced, "transactional", 1);
        fenced.flush();
        open.add(fenced);
        admin.fenceProducers(List.of("tx-fenced")).all().get();

        try (Wire wire = new Wire(servers)) {
            wire.produceUnknownToCoordinator("tx-hanging", "transactional", wire.initProducerId("tx-hanging", LONG_MS), 3);
        }
    }

    /** One transaction in two partitions, with its offsets, as a copy from topic to topic would do it. */
    private void ended(String id, boolean commits) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = transaction(id, LONG_MS)) {
            producer.beginTransaction();
            send(producer, "transactional", 0);
            send(producer, "transactional", 2);
            producer.flush();
            end(producer, commits);
        }
    }

    private void offsets(String id, String group, int partition, long offset, Boolean commits) throws Exception {
        KafkaProducer<byte[], byte[]> producer = transaction(id, LONG_MS);
        producer.beginTransaction();
        Map<TopicPartition, OffsetAndMetadata> offsets =
                Map.of(new TopicPartition("orders", partition), new OffsetAndMetadata(offset, "by " + id));
        try (KafkaConsumer<byte[], byte[]> consumer = groups.consumer(group, Map.of())) {
            producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
        }
        if (commits == null) {
            open.add(producer);
        } else {
            end(producer, commits);
            producer.close();
        }
    }

    private static void end(KafkaProducer<byte[], byte[]> producer, boolean commits) {
        if (commits) {
            producer.commitTransaction();
        } else {
            producer.abortTransaction();
        }
    }

    private KafkaProducer<byte[], byte[]> transaction(String id, int timeoutMs) {
        KafkaProducer<byte[], byte[]> producer =
                producer(Map.of("transactional.id", id, "transaction.timeout.ms", timeoutMs));
        producer.initTransactions();
        return producer;
    }

    private KafkaProducer<byte[], byte[]> producer(Map<String, Object> settings) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put("bootstrap.servers", servers);
        all.put("linger.ms", 0);
        return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, String topic, int partition) {
        byte[] key = Integer.toString(partition).getBytes(StandardCharsets.US_ASCII);
        producer.send(new ProducerRecord<>(topic, partition, key, new byte[20]));
    }

    /** Waits until the coordinator has aborted the transaction that took too long, and all markers are written. */
    private void awaitTimeOut() throws Exception {
        Set<TransactionState> passing =
                Set.of(TransactionState.PREPARE_ABORT, TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_EPOCH_FENCE);
        for (int attempt = 0; attempt < 600; attempt++) {
            Collection<String> ids = admin.listTransactions().all().get().stream()
                    .map(listing -> listing.transactionalId())
                    .toList();
            Map<String, TransactionDescription> found =
                    admin.describeTransactions(ids).all().get();
            boolean ends = found.get("tx-timed-out").state() == TransactionState.COMPLETE_ABORT;
            if (ends && found.values().stream().noneMatch(each -> passing.contains(each.state()))) {
                return;
            }
            Thread.sleep(50);
        }
        throw new IllegalStateException("transactions do not end");
    }
}
