import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Changes a little of everything that FillCluster did, so that its moment differs from the end of the log. */
final class ChangeCluster {
    private ChangeCluster() {}

    /**
     * @param arguments where the cluster is
     */
    public static void main(String[] arguments) throws Exception {
        Map<String, Object> servers = Map.of("bootstrap.servers", arguments[0]);
        try (Admin admin = Admin.create(servers)) {
            groups(admin);
            metadata(admin);
        }
        for (String id : List.of("tx-committed", "tx-empty", "tx-several", "tx-later")) {
            try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                    Map.of("bootstrap.servers", arguments[0], "transactional.id", id),
                    new ByteArraySerializer(),
                    new ByteArraySerializer())) {
                producer.initTransactions();
                producer.beginTransaction();
                producer.send(new ProducerRecord<>("transactional", 1, null, new byte[1])).get();
                producer.commitTransaction();
            }
        }
    }

    private static void groups(Admin admin) throws Exception {
        TopicPartition first = new TopicPartition("orders", 0);
        TopicPartition second = new TopicPartition("clicks", 1);
        for (String group : List.of("simple-1", "simple-3", "txn-group")) {
            admin.alterConsumerGroupOffsets(group, Map.of(first, new OffsetAndMetadata(9, "later")))
                    .all()
                    .get();
        }
        admin.deleteConsumerGroupOffsets("classic-left", Set.of(second)).all().get();
        admin.deleteConsumerGroups(List.of("simple-2", "consumer-left")).all().get();
    }

    private static void metadata(Admin admin) throws Exception {
        admin.createTopics(List.of(new NewTopic("later", 1, (short) 1))).all().get();
        admin.deleteTopics(List.of("recreated")).all().get();
        admin.incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.TOPIC, "orders"),
                        List.of(new AlterConfigOp(
                                new ConfigEntry("retention.ms", "7200000000"), AlterConfigOp.OpType.SET))))
                .all()
                .get();
        admin.alterClientQuotas(List.of(new ClientQuotaAlteration(
                        new ClientQuotaEntity(Map.of("ip", "10.1.2.3")),
                        List.of(new ClientQuotaAlteration.Op("connection_creation_rate", null)))))
                .all()
                .get();
        admin.deleteAcls(List.of(AclBindingFilter.ANY)).all().get();
        admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                        "later", new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 5000), "secret")))
                .all()
                .get();
    }
}
