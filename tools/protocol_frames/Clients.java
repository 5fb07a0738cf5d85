import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RaftVoterEndpoint;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialDeletion;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionReplica;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.quota.ClientQuotaFilter;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A bit of everything that clients ask a broker, so that each kind of request is sent; most of it runs with clients from
 * 2.1 on as well. A step that the client or the broker cannot do is skipped with a line on standard error.
 *
 * <p>Arguments: the brokers, the SASL listener of one, a name for topics, groups and client ids, the log directories of the node
 * that is asked to move a replica.
 */
final class Clients {
    private static final Duration SHORTLY = Duration.ofMillis(200);

    private final String servers;
    private final String name;
    private final AdminClient admin;

    private interface Step {
        void run() throws Exception;
    }

    private Clients(String servers, String name, AdminClient admin) {
        this.servers = servers;
        this.name = name;
        this.admin = admin;
    }

    public static void main(String[] arguments) throws Exception {
        String servers = arguments[0];
        String name = arguments[2];
        try (AdminClient admin = AdminClient.create(settings(servers, name))) {
            Clients clients = new Clients(servers, name, admin);
            step("topics", clients::topics);
            step("records", clients::records);
            step("groups", clients::groups);
            step("transactions", clients::transactions);
            step("cluster", () -> clients.cluster(List.of(arguments[3].split(","))));
            step("shareGroup", clients::shareGroup);
            step("delete", () -> await(admin.deleteTopics(List.of(name + "-deleted")).all()));
        }
        Map<String, Object> sasl = settings(arguments[1], name);
        sasl.put("security.protocol", "SASL_PLAINTEXT");
        sasl.put("sasl.mechanism", "PLAIN");
        sasl.put(
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"admin\" password=\"secret\";");
        try (AdminClient admin = AdminClient.create(sasl)) {
            tokens(admin);
        }
    }

    private void topics() {
        step("client metrics", () -> await(admin.incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.CLIENT_METRICS, "all"),
                        List.of(new AlterConfigOp(
                                new ConfigEntry("metrics", "org.apache.kafka.consumer.coordinator"),
                                AlterConfigOp.OpType.SET))))
                .all()));
        step("create", () -> await(admin.createTopics(List.of(
                        new NewTopic(name, 2, (short) 2).configs(Map.of("retention.ms", "86400000")),
                        new NewTopic(name + "-deleted", 1, (short) 1)))
                .all()));
        step("wait", () -> Thread.sleep(1000));
        step("partitions", () -> await(
                admin.createPartitions(Map.of(name, NewPartitions.increaseTo(3))).all()));
        step("list", () -> await(admin.listTopics().names()));
        step("describe", () -> await(admin.describeTopics(List.of(name, "missing")).allTopicNames()));
        step("describe", () -> admin.describeTopics(List.of(name)));
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, name);
        step("configs", () -> await(admin.describeConfigs(List.of(topic)).all()));
        step("alter configs", () -> await(admin.incrementalAlterConfigs(Map.of(
                        topic,
                        List.of(new AlterConfigOp(
                                new ConfigEntry("retention.ms", "7200000"), AlterConfigOp.OpType.SET))))
                .all()));
        // Gone since 4.0.
        step("alter configs, all of them", () -> AdminClient.class
                .getMethod("alterConfigs", Map.class)
                .invoke(
                        admin,
                        Map.of(
                                topic,
                                Class.forName("org.apache.kafka.clients.admin.Config")
                                        .getConstructor(Collection.class)
                                        .newInstance(List.of(new ConfigEntry("retention.ms", "3600000"))))));
        step("wait", () -> Thread.sleep(500));
    }

    private void records() {
        for (String acks : List.of("all", "1", "0")) {
            step("produce", () -> {
                Map<String, Object> settings = settings(servers, name);
                settings.put("acks", acks);
                settings.put("enable.idempotence", acks.equals("all"));
                settings.put("compression.type", acks.equals("1") ? "gzip" : "none");
                try (KafkaProducer<byte[], byte[]> producer = producer(settings)) {
                    for (int number = 0; number < 3; number++) {
                        producer.send(record(name, number));
                    }
                }
            });
        }
        TopicPartition partition = new TopicPartition(name, 0);
        step("consume", () -> {
            try (KafkaConsumer<byte[], byte[]> consumer = consumer(Map.of("isolation.level", "read_committed"))) {
                consumer.assign(List.of(partition));
                consumer.seek(partition, new OffsetAndMetadata(0, Optional.of(0), ""));
                poll(consumer, 3);
                consumer.offsetsForTimes(Map.of(partition, 0L));
                consumer.endOffsets(List.of(partition));
            }
        });
        step("offsets", () -> await(admin.listOffsets(Map.of(
                        partition, OffsetSpec.maxTimestamp(), new TopicPartition(name, 1), OffsetSpec.earliest()))
                .all()));
        step("delete records", () -> await(admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(1)))
                .all()));
        step("producers", () -> await(admin.describeProducers(List.of(partition)).all()));
    }

    @SuppressWarnings("removal") // older clients have nothing else
    private void groups() {
        for (String protocol : List.of("classic", "consumer")) {
            String group = name + "-" + protocol;
            step(protocol + " group", () -> {
                Map<String, Object> settings = new HashMap<>(Map.of(
                        "group.id", group, "enable.auto.commit", false, "auto.offset.reset", "earliest"));
                if (protocol.equals("classic")) {
                    settings.put("heartbeat.interval.ms", 100);
                }
                settings.put("group.protocol", protocol);
                try (KafkaConsumer<byte[], byte[]> consumer = consumer(settings)) {
                    consumer.subscribe(List.of(name));
                    poll(consumer, 8);
                    Thread.sleep(300);
                    consumer.commitSync();
                    consumer.committed(Set.of(new TopicPartition(name, 0)));
                    step("describe group", () -> await(
                            admin.describeConsumerGroups(List.of(group)).all()));
                }
            });
        }
        String group = name + "-classic";
        step("list groups", () -> await(admin.listConsumerGroups().all()));
        step("list groups", () -> await(admin.listGroups().all()));
        step("group offsets", () -> await(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()));
        step("group offsets", () -> await(admin.listConsumerGroupOffsets(
                        Map.of(group, new ListConsumerGroupOffsetsSpec(), name + "-consumer", new ListConsumerGroupOffsetsSpec()))
                .all()));
        step("alter offsets", () -> await(
                admin.alterConsumerGroupOffsets(group, Map.of(new TopicPartition(name, 1), new OffsetAndMetadata(0)))
                        .all()));
        step("delete offsets", () -> await(
                admin.deleteConsumerGroupOffsets(group, Set.of(new TopicPartition(name, 0))).all()));
        step("delete group", () -> await(admin.deleteConsumerGroups(List.of(group)).all()));
        for (String server : servers.split(",")) {
            step("join streams group", () -> {
                try (Wire wire = new Wire(server)) {
                    wire.joinStreamsGroup(name + "-streams", name);
                }
            });
        }
        step("streams group", () -> await(admin.describeStreamsGroups(List.of(name + "-streams")).all()));
    }

    private void transactions() {
        Map<String, Object> settings = settings(servers, name);
        settings.put("transactional.id", name);
        for (boolean committed : new boolean[] {true, false}) {
            step("transaction", () -> {
                try (KafkaProducer<byte[], byte[]> producer = producer(settings)) {
                    producer.initTransactions();
                    producer.beginTransaction();
                    producer.send(record(name, 9)).get();
                    // The way to do it before 2.5, and the only one until then.
                    step("offsets of a transaction", () -> {
                        try (KafkaConsumer<byte[], byte[]> consumer = consumer(Map.of("group.id", name + "-txn"))) {
                            producer.sendOffsetsToTransaction(
                                    Map.of(new TopicPartition(name, 0), new OffsetAndMetadata(2)), consumer.groupMetadata());
                        }
                    });
                    step("transactions", () -> await(admin.listTransactions().all()));
                    step("describe transactions", () -> await(
                            admin.describeTransactions(List.of(name)).all()));
                    if (committed) {
                        producer.commitTransaction();
                    } else {
                        producer.abortTransaction();
                    }
                }
            });
        }
        step("fence", () -> await(admin.fenceProducers(List.of(name)).all()));
        step("consume aborted", () -> {
            try (KafkaConsumer<byte[], byte[]> consumer = consumer(Map.of("isolation.level", "read_committed"))) {
                List<TopicPartition> all = List.of(
                        new TopicPartition(name, 0), new TopicPartition(name, 1), new TopicPartition(name, 2));
                consumer.assign(all);
                consumer.seekToBeginning(all);
                poll(consumer, 12);
            }
        });
    }

    private void cluster(List<String> logDirs) {
        step("cluster", () -> await(admin.describeCluster().nodes()));
        step("log dirs", () -> await(admin.describeLogDirs(List.of(1)).allDescriptions()));
        for (String logDir : logDirs) {
            step("move", () -> await(
                    admin.alterReplicaLogDirs(Map.of(new TopicPartitionReplica(name, 0, 1), logDir)).all()));
        }
        step("elect", () -> await(
                admin.electLeaders(ElectionType.PREFERRED, Set.of(new TopicPartition(name, 0))).all()));
        step("reassign", () -> await(admin.alterPartitionReassignments(Map.of(
                        new TopicPartition(name, 1), Optional.of(new NewPartitionReassignment(List.of(2)))))
                .all()));
        step("reassignments", () -> await(admin.listPartitionReassignments().reassignments()));
        step("quorum", () -> await(admin.describeMetadataQuorum().quorumInfo()));
        step("features", () -> await(admin.describeFeatures().featureMetadata()));
        step("update features", () -> await(admin.updateFeatures(Map.of(
                        "share.version", new FeatureUpdate((short) 1, FeatureUpdate.UpgradeType.UPGRADE)))
                .all()));
        step("unregister", () -> await(admin.unregisterBroker(77).all()));
        step("unregister controller", () -> await(admin.unregisterController(77).all()));
        step("add voter", () -> await(admin.addRaftVoter(
                        77, Uuid.randomUuid(), Set.of(new RaftVoterEndpoint("CONTROLLER", "127.0.0.1", 9)))
                .all()));
        step("remove voter", () -> await(admin.removeRaftVoter(77, Uuid.randomUuid()).all()));
        step("config resources", () -> await(admin.listConfigResources().all()));
        step("quotas", () -> await(admin.alterClientQuotas(List.of(new ClientQuotaAlteration(
                        new ClientQuotaEntity(Map.of("user", name)),
                        List.of(new ClientQuotaAlteration.Op("consumer_byte_rate", 1e7)))))
                .all()));
        step("quotas", () -> await(admin.describeClientQuotas(ClientQuotaFilter.all()).entities()));
        step("scram", () -> await(admin.alterUserScramCredentials(List.of(
                        new UserScramCredentialUpsertion(
                                name, new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), "secret"),
                        new UserScramCredentialDeletion("missing", ScramMechanism.SCRAM_SHA_512)))
                .all()));
        step("scram", () -> await(admin.describeUserScramCredentials(List.of(name)).all()));
        AclBinding acl = new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, name, PatternType.LITERAL),
                new AccessControlEntry("User:reader", "*", AclOperation.READ, AclPermissionType.ALLOW));
        step("acls", () -> await(admin.createAcls(List.of(acl)).all()));
        step("acls", () -> await(admin.describeAcls(AclBindingFilter.ANY).values()));
        step("acls", () -> await(admin.deleteAcls(List.of(acl.toFilter())).all()));
    }

    private void shareGroup() {
        String group = name + "-share";
        step("share group", () -> {
            Map<String, Object> settings = readerSettings(Map.of("group.id", group));
            settings.put("share.acknowledgement.mode", "explicit");
            step("from the start", () -> await(admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.GROUP, group),
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("share.auto.offset.reset", "earliest"), AlterConfigOp.OpType.SET))))
                    .all()));
            try (KafkaShareConsumer<byte[], byte[]> consumer = new KafkaShareConsumer<>(settings)) {
                consumer.subscribe(List.of(name));
                int left = 3;
                for (int attempt = 0; attempt < 50 && left > 0; attempt++) {
                    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(SHORTLY)) {
                        consumer.acknowledge(record);
                        left--;
                    }
                    consumer.commitSync();
                }
                await(admin.describeShareGroups(List.of(group)).all());
            }
        });
        step("share offsets", () -> await(
                admin.listShareGroupOffsets(Map.of(group, new ListShareGroupOffsetsSpec())).all()));
        step("share offsets", () -> await(admin.alterShareGroupOffsets(group, Map.of(new TopicPartition(name, 0), 2L))
                .all()));
        step("share offsets", () -> await(admin.deleteShareGroupOffsets(group, Set.of(name)).all()));
        step("delete share group", () -> await(admin.deleteShareGroups(List.of(group)).all()));
    }

    private static void tokens(AdminClient admin) {
        List<byte[]> hmacs = new ArrayList<>();
        step("token", () -> hmacs.add(await(admin.createDelegationToken().delegationToken()).hmac()));
        for (byte[] hmac : hmacs) {
            step("tokens", () -> await(admin.describeDelegationToken().delegationTokens()));
            step("renew token", () -> await(admin.renewDelegationToken(hmac).expiryTimestamp()));
            step("expire token", () -> await(admin.expireDelegationToken(hmac).expiryTimestamp()));
        }
    }

    private static void step(String what, Step step) {
        try {
            step.run();
        } catch (Exception | LinkageError error) {
            System.err.println(what + ": " + error);
        }
    }

    private static <T> T await(KafkaFuture<T> future) throws Exception {
        return future.get(20, java.util.concurrent.TimeUnit.SECONDS);
    }

    private static Map<String, Object> settings(String servers, String name) {
        return new HashMap<>(Map.of("bootstrap.servers", servers, "client.id", name, "retry.backoff.ms", 50));
    }

    private Map<String, Object> readerSettings(Map<String, Object> more) {
        Map<String, Object> settings = settings(servers, name);
        settings.put("key.deserializer", ByteArrayDeserializer.class);
        settings.put("value.deserializer", ByteArrayDeserializer.class);
        settings.putAll(more);
        return settings;
    }

    private KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> more) {
        return new KafkaConsumer<>(readerSettings(more));
    }

    private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> settings) {
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, int number) {
        return new ProducerRecord<>(topic, number % 2, ("key-" + number).getBytes(), ("value-" + number).getBytes());
    }

    private static void poll(KafkaConsumer<byte[], byte[]> consumer, int count) {
        for (int attempt = 0; attempt < 50 && count > 0; attempt++) {
            count -= consumer.poll(SHORTLY).count();
        }
    }
}
