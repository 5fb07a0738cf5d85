import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.metadata.AbortTransactionRecord;
import org.apache.kafka.common.metadata.AccessControlEntryRecord;
import org.apache.kafka.common.metadata.BeginTransactionRecord;
import org.apache.kafka.common.metadata.BrokerRegistrationChangeRecord;
import org.apache.kafka.common.metadata.ClearElrRecord;
import org.apache.kafka.common.metadata.ClientQuotaRecord;
import org.apache.kafka.common.metadata.ConfigRecord;
import org.apache.kafka.common.metadata.DelegationTokenRecord;
import org.apache.kafka.common.metadata.EndTransactionRecord;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.metadata.FenceBrokerRecord;
import org.apache.kafka.common.metadata.NoOpRecord;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.ProducerIdsRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.metadata.RegisterControllerRecord;
import org.apache.kafka.common.metadata.RemoveAccessControlEntryRecord;
import org.apache.kafka.common.metadata.RemoveDelegationTokenRecord;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.common.metadata.RemoveUserScramCredentialRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.metadata.UnfenceBrokerRecord;
import org.apache.kafka.common.metadata.UnregisterBrokerRecord;
import org.apache.kafka.common.metadata.UnregisterControllerRecord;
import org.apache.kafka.common.metadata.UserScramCredentialRecord;
import org.apache.kafka.common.metadata.ZkMigrationStateRecord;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/** Metadata logs that a controller could have written: records of all types, each about an existing object. */
final class RandomHistory {
    private static final int BATCHES = 250;
    private static final int NAMES = 4;

    private final Random random;
    private final OutputStream log;
    private long offset;

    // Existing objects, so that no record refers to anything else.
    private List<Uuid> topics = new ArrayList<>();
    private TreeMap<Uuid, Integer> partitions = new TreeMap<>();
    private TreeMap<Uuid, String> names = new TreeMap<>();
    private TreeMap<Integer, Long> brokers = new TreeMap<>();
    private List<Uuid> acls = new ArrayList<>();
    private List<ApiMessageAndVersion> batch = new ArrayList<>();

    private RandomHistory(Random random, OutputStream log) {
        this.random = random;
        this.log = log;
    }

    static void write(long seed, int count, Path directory) throws IOException {
        for (int number = 0; number < count; number++) {
            Path place = Files.createDirectories(directory.resolve(number + "/__cluster_metadata-0"));
            try (OutputStream log = Files.newOutputStream(place.resolve("00000000000000000000.log"))) {
                new RandomHistory(new Random(seed + number), log).write();
            }
        }
    }

    private void write() throws IOException {
        while (offset < BATCHES) {
            if (random.nextInt(12) == 0) {
                transaction();
            } else {
                for (int records = 1 + random.nextInt(3); records > 0; records--) {
                    something();
                }
                flush();
                if (!topics.isEmpty() && random.nextInt(8) == 0) {
                    removeTopic();
                    flush();
                }
            }
        }
    }

    private void transaction() throws IOException {
        List<Uuid> topicsBefore = new ArrayList<>(topics);
        TreeMap<Uuid, Integer> partitionsBefore = new TreeMap<>(partitions);
        TreeMap<Uuid, String> namesBefore = new TreeMap<>(names);
        TreeMap<Integer, Long> brokersBefore = new TreeMap<>(brokers);
        List<Uuid> aclsBefore = new ArrayList<>(acls);
        add(new BeginTransactionRecord().setName("t"), 0);
        for (int records = random.nextInt(5); records > 0; records--) {
            something();
            if (random.nextBoolean()) {
                flush();
            }
        }
        int end = random.nextInt(3);
        if (end == 0) {
            add(new AbortTransactionRecord().setReason("no"), 0);
            topics = topicsBefore;
            partitions = partitionsBefore;
            names = namesBefore;
            brokers = brokersBefore;
            acls = aclsBefore;
        } else {
            add(new EndTransactionRecord(), 0);
        }
        flush();
    }

    private void something() {
        switch (random.nextInt(20)) {
            case 0, 1 -> topic();
            case 2, 3, 4, 5 -> change();
            case 6 -> broker();
            case 7, 8 -> changeBroker();
            case 9 -> add(new RegisterControllerRecord().setControllerId(random.nextInt(3)).setIncarnationId(id())
                .setZkMigrationReady(random.nextBoolean()), 0);
            case 10, 11 -> add(new ConfigRecord().setResourceType(random.nextBoolean() ? (byte) 4 : (byte) 32)
                .setResourceName(name("r")).setName(name("c")).setValue(random.nextInt(3) == 0 ? null : name("v")), 0);
            case 12 -> add(new FeatureLevelRecord().setName(random.nextBoolean() ? "metadata.version" : name("f"))
                .setFeatureLevel((short) (7 + random.nextInt(27))), 0);
            case 13 -> add(new FeatureLevelRecord().setName(random.nextBoolean() ? "kraft.version" : name("f"))
                .setFeatureLevel((short) random.nextInt(2)), 0);
            case 14 -> add(new ClientQuotaRecord().setEntity(List.of(new ClientQuotaRecord.EntityData()
                .setEntityType("user").setEntityName(random.nextBoolean() ? null : name("u")))).setKey(name("k"))
                .setValue(random.nextDouble()).setRemove(random.nextInt(3) == 0), 0);
            case 15 -> acl();
            case 16 -> add(random.nextInt(3) == 0
                ? new RemoveUserScramCredentialRecord().setName(name("u")).setMechanism(mechanism())
                : new UserScramCredentialRecord().setName(name("u")).setMechanism(mechanism()).setSalt(bytes())
                    .setStoredKey(bytes()).setServerKey(bytes()).setIterations(4096), 0);
            case 17 -> add(random.nextInt(3) == 0
                ? new RemoveDelegationTokenRecord().setTokenId(name("t"))
                : new DelegationTokenRecord().setTokenId(name("t")).setOwner("User:a").setRequester("User:b")
                    .setRenewers(List.of("User:c")).setIssueTimestamp(random.nextInt(9)).setMaxTimestamp(9)
                    .setExpirationTimestamp(8), 0);
            case 18 -> add(random.nextBoolean()
                ? new ProducerIdsRecord().setBrokerId(1).setBrokerEpoch(1).setNextProducerId(random.nextInt(9999))
                : new ZkMigrationStateRecord().setZkMigrationState((byte) random.nextInt(4)), 0);
            default -> add(new NoOpRecord(), 0);
        }
    }

    private void topic() {
        Uuid topic = id();
        String name = "topic-" + offset + "-" + batch.size();
        topics.add(topic);
        names.put(topic, name);
        add(new TopicRecord().setName(name).setTopicId(topic), 0);
        int count = 1 + random.nextInt(3);
        for (int number = 0; number < count; number++) {
            partition(topic, number);
        }
        partitions.put(topic, count);
        if (random.nextBoolean()) {
            add(new ConfigRecord().setResourceType((byte) 2).setResourceName(name).setName(name("c"))
                .setValue(name("v")), 0);
        }
    }

    private void partition(Uuid topic, int number) {
        short version = (short) random.nextInt(3);
        PartitionRecord record = new PartitionRecord().setTopicId(topic).setPartitionId(number)
            .setReplicas(List.of(1, 2, 3)).setIsr(some()).setLeader(random.nextInt(4)).setLeaderEpoch(random.nextInt(9))
            .setPartitionEpoch(random.nextInt(9)).setRemovingReplicas(List.of()).setAddingReplicas(List.of())
            .setLeaderRecoveryState((byte) random.nextInt(2));
        if (version > 0 && random.nextBoolean()) {
            record.setDirectories(List.of(id(), id(), id()));
        }
        if (version > 1 && random.nextBoolean()) {
            record.setEligibleLeaderReplicas(some()).setLastKnownElr(some());
        }
        add(record, version);
    }

    private void change() {
        if (topics.isEmpty()) {
            return;
        }
        Uuid topic = topics.get(random.nextInt(topics.size()));
        if (random.nextInt(6) == 0) {
            partition(topic, partitions.merge(topic, 1, Integer::sum) - 1);
            return;
        }
        if (random.nextInt(6) == 0) {
            add(new ClearElrRecord().setTopicName(random.nextInt(3) == 0 ? "" : names.get(topic)), 0);
            return;
        }
        PartitionChangeRecord record = new PartitionChangeRecord().setTopicId(topic)
            .setPartitionId(random.nextInt(partitions.get(topic)));
        if (random.nextBoolean()) {
            record.setIsr(some());
        }
        if (random.nextBoolean()) {
            record.setLeader(random.nextInt(5) - 1);
        }
        if (random.nextInt(3) == 0) {
            record.setReplicas(List.of(3, 1, 2)).setDirectories(List.of(id(), id(), id()));
        }
        if (random.nextInt(3) == 0) {
            record.setRemovingReplicas(some()).setAddingReplicas(some());
        }
        if (random.nextInt(3) == 0) {
            record.setLeaderRecoveryState((byte) random.nextInt(2));
        }
        if (random.nextInt(3) == 0) {
            record.setEligibleLeaderReplicas(some()).setLastKnownElr(some());
        }
        add(record, 2);
    }

    private void removeTopic() {
        Uuid topic = topics.remove(random.nextInt(topics.size()));
        partitions.remove(topic);
        names.remove(topic);
        add(new RemoveTopicRecord().setTopicId(topic), 0);
    }

    private void broker() {
        int broker = random.nextInt(4);
        if (brokers.containsKey(broker) && random.nextInt(3) == 0) {
            add(new UnregisterBrokerRecord().setBrokerId(broker).setBrokerEpoch(brokers.remove(broker)), 0);
            return;
        }
        long epoch = offset + batch.size();
        brokers.put(broker, epoch);
        RegisterBrokerRecord record = new RegisterBrokerRecord().setBrokerId(broker).setBrokerEpoch(epoch)
            .setIncarnationId(id()).setRack(random.nextBoolean() ? null : name("rack")).setFenced(random.nextBoolean())
            .setInControlledShutdown(random.nextBoolean()).setIsMigratingZkBroker(random.nextBoolean())
            .setLogDirs(random.nextBoolean() ? List.of() : List.of(id(), id(), id()))
            .setCordonedLogDirs(random.nextBoolean() ? null : List.of(id()));
        for (String name : List.of("B", "A")) {
            record.endPoints().add(new RegisterBrokerRecord.BrokerEndpoint().setName(name).setHost("h").setPort(9)
                .setSecurityProtocol((short) random.nextInt(4)));
            record.features().add(new RegisterBrokerRecord.BrokerFeature().setName(name)
                .setMinSupportedVersion((short) 1).setMaxSupportedVersion((short) (1 + random.nextInt(5))));
        }
        add(record, 4);
    }

    private void changeBroker() {
        if (brokers.isEmpty()) {
            return;
        }
        int broker = new ArrayList<>(brokers.keySet()).get(random.nextInt(brokers.size()));
        long epoch = brokers.get(broker);
        switch (random.nextInt(4)) {
            case 0 -> add(new FenceBrokerRecord().setId(broker).setEpoch(epoch), 0);
            case 1 -> add(new UnfenceBrokerRecord().setId(broker).setEpoch(epoch), 0);
            default -> add(new BrokerRegistrationChangeRecord().setBrokerId(broker).setBrokerEpoch(epoch)
                .setFenced((byte) (random.nextInt(3) - 1)).setInControlledShutdown((byte) random.nextInt(2))
                .setLogDirs(random.nextBoolean() ? List.of() : List.of(id(), id()))
                .setCordonedLogDirs(random.nextBoolean() ? null : List.of()), 3);
        }
    }

    private void acl() {
        if (!acls.isEmpty() && random.nextInt(3) == 0) {
            add(new RemoveAccessControlEntryRecord().setId(acls.remove(random.nextInt(acls.size()))), 0);
            return;
        }
        Uuid acl = id();
        acls.add(acl);
        add(new AccessControlEntryRecord().setId(acl).setResourceType((byte) (2 + random.nextInt(5)))
            .setResourceName(name("r")).setPatternType((byte) (3 + random.nextInt(2))).setPrincipal("User:" + name("u"))
            .setHost("*").setOperation((byte) (2 + random.nextInt(14))).setPermissionType((byte) (2 + random.nextInt(2))),
            0);
    }

    private void add(ApiMessage message, int version) {
        batch.add(new ApiMessageAndVersion(message, (short) version));
    }

    private void flush() throws IOException {
        if (batch.isEmpty()) {
            return;
        }
        SimpleRecord[] records = batch.stream()
            .map(record -> new SimpleRecord(1000 + offset, null, bytesOf(MetadataJudge.encode(record))))
            .toArray(SimpleRecord[]::new);
        MemoryRecords written = MemoryRecords.withRecords(RecordBatch.MAGIC_VALUE_V2, offset, Compression.NONE,
            TimestampType.CREATE_TIME, -1, (short) -1, -1, 1, false, records);
        log.write(bytesOf(written.buffer()));
        offset += batch.size();
        batch = new ArrayList<>();
    }

    private static byte[] bytesOf(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private List<Integer> some() {
        return List.of(List.of(1, 2, 3), List.of(2), List.of(3, 1), List.<Integer>of()).get(random.nextInt(4));
    }

    private Uuid id() {
        return new Uuid(random.nextLong(), 1 + random.nextLong());
    }

    private String name(String kind) {
        return kind + random.nextInt(NAMES);
    }

    private byte mechanism() {
        return (byte) (1 + random.nextInt(2));
    }

    private byte[] bytes() {
        byte[] bytes = new byte[8];
        random.nextBytes(bytes);
        return bytes;
    }
}
