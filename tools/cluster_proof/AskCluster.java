import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.FeatureMetadata;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.quota.ClientQuotaFilter;
import org.apache.kafka.common.utils.Utils;

/** Asks Admin everything that a cluster's disks hold, and writes the answers as one JSON file. */
final class AskCluster {
    private final Admin admin;

    private AskCluster(Admin admin) {
        this.admin = admin;
    }

    /**
     * @param arguments where the cluster is, and the file to write
     */
    public static void main(String[] arguments) throws Exception {
        Map<String, Object> answers = new LinkedHashMap<>();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", arguments[0]))) {
            AskCluster asking = new AskCluster(admin);
            Map<String, TopicDescription> topics = asking.describedTopics();
            answers.put("groups", new AskGroups(admin, topics).groups());
            answers.put("transactions", asking.transactions(topics));
            answers.put("topics", asking.topics(topics));
            answers.put("producers", asking.producers(topics));
            answers.put("configs", asking.configs(topics));
            answers.put("quotas", asking.quotas());
            answers.put("acls", asking.acls());
            answers.put("scram", asking.scram());
            answers.put("features", asking.features());
            answers.put("cluster", asking.cluster());
        }
        new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(new File(arguments[1]), answers);
    }

    private Object transactions(Map<String, TopicDescription> topics) throws Exception {
        Collection<TransactionListing> listed = admin.listTransactions().all().get();
        List<String> ids =
                listed.stream().map(TransactionListing::transactionalId).sorted().toList();
        Map<String, TransactionDescription> described =
                admin.describeTransactions(ids).all().get();
        List<Object> answers = new ArrayList<>();
        for (String id : ids) {
            TransactionDescription transaction = described.get(id);
            answers.add(map(
                    "transactionalId",
                    id,
                    "state",
                    transaction.state().toString(),
                    "producerId",
                    transaction.producerId(),
                    "producerEpoch",
                    transaction.producerEpoch(),
                    "transactionTimeoutMs",
                    transaction.transactionTimeoutMs(),
                    "transactionStartTimeMs",
                    transaction.transactionStartTimeMs().isPresent()
                            ? transaction.transactionStartTimeMs().getAsLong()
                            : null,
                    "coordinatorPartition",
                    coordinatorPartition(id, topics.get("__transaction_state")),
                    "topicPartitions",
                    names(transaction.topicPartitions())));
        }
        return answers;
    }

    private Map<String, TopicDescription> describedTopics() throws Exception {
        Collection<String> names = admin.listTopics(
                        new ListTopicsOptions().listInternal(true))
                .names()
                .get();
        return new TreeMap<>(admin.describeTopics(TopicCollection.ofTopicNames(names))
                .allTopicNames()
                .get());
    }

    private Object topics(Map<String, TopicDescription> described) throws Exception {
        Map<TopicPartition, Long> begins = offsets(described, OffsetSpec.earliest());
        Map<TopicPartition, Long> ends = offsets(described, OffsetSpec.latest());
        Map<String, Object> answers = new TreeMap<>();
        described.forEach((name, topic) -> {
            List<Object> partitions = new ArrayList<>();
            for (TopicPartitionInfo partition : topic.partitions()) {
                TopicPartition of = new TopicPartition(name, partition.partition());
                partitions.add(map(
                        "partition",
                        partition.partition(),
                        "leader",
                        partition.leader() == null ? null : partition.leader().id(),
                        "replicas",
                        ids(partition.replicas()),
                        "isr",
                        ids(partition.isr()),
                        "elr",
                        ids(partition.elr()),
                        "lastKnownElr",
                        ids(partition.lastKnownElr()),
                        "begin",
                        begins.get(of),
                        "end",
                        ends.get(of)));
            }
            answers.put(name, map("topicId", topic.topicId().toString(), "partitions", partitions));
        });
        return answers;
    }

    private Map<TopicPartition, Long> offsets(Map<String, TopicDescription> topics, OffsetSpec which) throws Exception {
        Map<TopicPartition, OffsetSpec> asked =
                partitions(topics).stream().collect(Collectors.toMap(Function.identity(), partition -> which));
        Map<TopicPartition, ListOffsetsResultInfo> found =
                admin.listOffsets(asked).all().get();
        return found.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().offset()));
    }

    private static List<TopicPartition> partitions(Map<String, TopicDescription> topics) {
        return topics.values().stream()
                .flatMap(topic -> topic.partitions().stream()
                        .map(partition -> new TopicPartition(topic.name(), partition.partition())))
                .toList();
    }

    private Object producers(Map<String, TopicDescription> topics) throws Exception {
        Map<String, Object> answers = new TreeMap<>();
        admin.describeProducers(partitions(topics)).all().get().forEach((partition, found) -> {
            List<Object> producers = new ArrayList<>();
            List<ProducerState> states = new ArrayList<>(found.activeProducers());
            states.sort(Comparator.comparingLong(ProducerState::producerId));
            for (ProducerState state : states) {
                producers.add(map(
                        "producerId",
                        state.producerId(),
                        "producerEpoch",
                        state.producerEpoch(),
                        "lastSequence",
                        state.lastSequence(),
                        "lastTimestamp",
                        state.lastTimestamp(),
                        "currentTransactionStartOffset",
                        state.currentTransactionStartOffset().isPresent()
                                ? state.currentTransactionStartOffset().getAsLong()
                                : null,
                        "coordinatorEpoch",
                        state.coordinatorEpoch().isPresent()
                                ? state.coordinatorEpoch().getAsInt()
                                : null));
            }
            answers.put(partition.toString(), producers);
        });
        return answers;
    }

    /** Explicitly set configs, by kind and name of the resource, without defaults. */
    private Object configs(Map<String, TopicDescription> topics) throws Exception {
        List<ConfigResource> resources = new ArrayList<>();
        topics.keySet().forEach(name -> resources.add(new ConfigResource(ConfigResource.Type.TOPIC, name)));
        for (ConfigResource resource : admin.listConfigResources().all().get()) {
            if (resource.type() == ConfigResource.Type.GROUP || resource.type() == ConfigResource.Type.CLIENT_METRICS) {
                resources.add(resource);
            }
        }
        resources.add(new ConfigResource(ConfigResource.Type.BROKER, ""));
        for (Node node : admin.describeCluster().nodes().get()) {
            resources.add(new ConfigResource(ConfigResource.Type.BROKER, node.idString()));
        }
        Map<String, Map<String, Object>> answers = new TreeMap<>();
        admin.describeConfigs(resources).all().get().forEach((resource, config) -> {
            ConfigEntry.ConfigSource source =
                    switch (resource.type()) {
                        case TOPIC -> ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG;
                        case GROUP -> ConfigEntry.ConfigSource.DYNAMIC_GROUP_CONFIG;
                        case CLIENT_METRICS -> ConfigEntry.ConfigSource.DYNAMIC_CLIENT_METRICS_CONFIG;
                        default -> resource.isDefault()
                                ? ConfigEntry.ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG
                                : ConfigEntry.ConfigSource.DYNAMIC_BROKER_CONFIG;
                    };
            Map<String, Object> values = new TreeMap<>();
            for (ConfigEntry entry : config.entries()) {
                if (entry.source() == source) {
                    values.put(entry.name(), entry.value());
                }
            }
            if (!values.isEmpty()) {
                answers.computeIfAbsent(resource.type().toString(), type -> new TreeMap<>())
                        .put(resource.name(), values);
            }
        });
        return answers;
    }

    private Object quotas() throws Exception {
        List<Object> answers = new ArrayList<>();
        admin.describeClientQuotas(ClientQuotaFilter.all())
                .entities()
                .get()
                .forEach((entity, values) ->
                        answers.add(map("entity", new TreeMap<>(entity.entries()), "quotas", new TreeMap<>(values))));
        return answers;
    }

    private Object acls() throws Exception {
        List<Object> answers = new ArrayList<>();
        admin.describeAcls(AclBindingFilter.ANY)
                .values()
                .get()
                .forEach(acl -> answers.add(map(
                        "resourceType",
                        acl.pattern().resourceType().toString(),
                        "resourceName",
                        acl.pattern().name(),
                        "patternType",
                        acl.pattern().patternType().toString(),
                        "principal",
                        acl.entry().principal(),
                        "host",
                        acl.entry().host(),
                        "operation",
                        acl.entry().operation().toString(),
                        "permissionType",
                        acl.entry().permissionType().toString())));
        return answers;
    }

    private Object scram() throws Exception {
        List<Object> answers = new ArrayList<>();
        admin.describeUserScramCredentials().all().get().forEach((name, user) -> user.credentialInfos()
                .forEach(credential -> answers.add(map(
                        "name",
                        name,
                        "mechanism",
                        credential.mechanism().mechanismName(),
                        "iterations",
                        credential.iterations()))));
        return answers;
    }

    private Object features() throws Exception {
        FeatureMetadata features = admin.describeFeatures().featureMetadata().get();
        Map<String, Object> answers = new TreeMap<>();
        features.finalizedFeatures().forEach((name, range) -> answers.put(name, range.maxVersionLevel()));
        return answers;
    }

    private Object cluster() throws Exception {
        QuorumInfo quorum = admin.describeMetadataQuorum().quorumInfo().get();
        List<Object> brokers = new ArrayList<>();
        for (Node node : admin.describeCluster().nodes().get()) {
            brokers.add(map("id", node.id(), "host", node.host(), "port", node.port(), "rack", node.rack()));
        }
        return map(
                "clusterId",
                admin.describeCluster().clusterId().get(),
                "brokers",
                brokers,
                "leaderEpoch",
                quorum.leaderEpoch(),
                "metadataOffset",
                quorum.highWatermark());
    }

    private static List<Integer> ids(List<Node> nodes) {
        return nodes == null ? null : nodes.stream().map(Node::id).toList();
    }

    /** The partition in which a coordinator stores an id, computed as by Kafka, since Admin does not tell. */
    static int coordinatorPartition(String id, TopicDescription internal) {
        return Utils.abs(id.hashCode()) % internal.partitions().size();
    }

    static List<String> names(Collection<TopicPartition> partitions) {
        return partitions.stream().map(TopicPartition::toString).sorted().toList();
    }

    static Object orNull(Optional<?> value) {
        return value.isPresent() ? value.get() : null;
    }

    /** A map of alternating names and values. */
    static Map<String, Object> map(Object... pairs) {
        Map<String, Object> made = new LinkedHashMap<>();
        for (int place = 0; place < pairs.length; place += 2) {
            made.put((String) pairs[place], pairs[place + 1]);
        }
        return made;
    }
}
