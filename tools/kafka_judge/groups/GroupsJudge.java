package org.apache.kafka.coordinator.group;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorExecutor;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorTimer;
import org.apache.kafka.coordinator.common.runtime.Deserializer.UnknownRecordTypeException;
import org.apache.kafka.coordinator.group.classic.ClassicGroup;
import org.apache.kafka.coordinator.group.classic.ClassicGroupMember;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetricsShard;
import org.apache.kafka.coordinator.group.modern.consumer.ConsumerGroup;
import org.apache.kafka.coordinator.group.modern.consumer.ConsumerGroupMember;
import org.apache.kafka.coordinator.group.modern.share.ShareGroup;
import org.apache.kafka.coordinator.group.modern.share.ShareGroupConfig;
import org.apache.kafka.coordinator.group.modern.share.ShareGroupMember;
import org.apache.kafka.coordinator.group.streams.StreamsGroup;
import org.apache.kafka.coordinator.group.streams.StreamsGroupMember;
import org.apache.kafka.timeline.SnapshotRegistry;

/**
 * Replays records of __consumer_offsets with Kafka's own coordinator, and prints its state.
 *
 * <p>Lines of standard input, whose bytes are base64: {@code RESET}, {@code R offset producerId key value} (value
 * {@code -} of a tombstone), {@code C producerId} and {@code A producerId} for a marker that commits or aborts,
 * {@code O group topic partition} for a committed offset, {@code G} for the groups. O and G answer a line each, of
 * JSON; once Kafka refused a record, G answers its offset, and the error.
 */
public final class GroupsJudge {
    private static final Base64.Decoder BASE64 = Base64.getDecoder();

    private GroupMetadataManager groups;
    private OffsetMetadataManager offsets;
    private GroupCoordinatorShard shard;
    private String failure;

    private GroupsJudge() {
        reset();
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        GroupsJudge judge = new GroupsJudge();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String answer = judge.answer(line.split(" "));
            if (answer != null) {
                out.println(answer);
            }
        }
        out.flush();
    }

    private String answer(String[] words) {
        switch (words[0]) {
            case "RESET" -> reset();
            case "O" -> {
                return failure != null ? "null" : offset(text(words[1]), text(words[2]), Integer.parseInt(words[3]));
            }
            case "G" -> {
                return failure != null ? failure : groups();
            }
            default -> {
                if (failure == null) {
                    replay(words);
                }
            }
        }
        return null;
    }

    private void replay(String[] words) {
        try {
            if (words[0].equals("R")) {
                ByteBuffer value = words[4].equals("-") ? null : ByteBuffer.wrap(BASE64.decode(words[4]));
                CoordinatorRecord record = new GroupCoordinatorRecordSerde()
                    .deserialize(ByteBuffer.wrap(BASE64.decode(words[3])), value);
                shard.replay(Long.parseLong(words[1]), Long.parseLong(words[2]), (short) 0, record);
            } else {
                TransactionResult result = words[0].equals("C") ? TransactionResult.COMMIT : TransactionResult.ABORT;
                shard.replayEndTransactionMarker(Long.parseLong(words[1]), (short) 0, result);
            }
        } catch (UnknownRecordTypeException ignored) {
            // CoordinatorLoaderImpl skips it.
        } catch (RuntimeException refused) {
            failure = object(fields("offset", Long.parseLong(words[1]), "message", "" + refused));
        }
    }

    @SuppressWarnings("unchecked")
    private void reset() {
        LogContext log = new LogContext();
        SnapshotRegistry registry = new SnapshotRegistry(log);
        ConfigDef definitions = new ConfigDef(GroupCoordinatorConfig.CONFIG_DEF);
        for (ConfigDef.ConfigKey each : ShareGroupConfig.CONFIG_DEF.configKeys().values()) {
            if (!definitions.names().contains(each.name)) {
                definitions.define(each);
            }
        }
        AbstractConfig defaults = new AbstractConfig(definitions, Map.of(), false);
        GroupCoordinatorConfig config = new GroupCoordinatorConfig(defaults);
        TopicPartition partition = new TopicPartition("__consumer_offsets", 0);
        GroupCoordinatorMetricsShard metrics = new GroupCoordinatorMetricsShard(registry, Map.of(), partition);
        CoordinatorTimer<CoordinatorRecord> timer =
            (CoordinatorTimer<CoordinatorRecord>) idle(CoordinatorTimer.class);
        CoordinatorExecutor<CoordinatorRecord> executor =
            (CoordinatorExecutor<CoordinatorRecord>) idle(CoordinatorExecutor.class);
        groups = new GroupMetadataManager.Builder()
            .withLogContext(log)
            .withSnapshotRegistry(registry)
            .withTimer(timer)
            .withExecutor(executor)
            .withConfig(config)
            .withGroupConfigManager(new GroupConfigManager(config, new ShareGroupConfig(defaults)))
            .withGroupCoordinatorMetricsShard(metrics)
            .build();
        offsets = new OffsetMetadataManager.Builder()
            .withLogContext(log)
            .withSnapshotRegistry(registry)
            .withGroupMetadataManager(groups)
            .withGroupCoordinatorConfig(config)
            .withGroupCoordinatorMetricsShard(metrics)
            .build();
        shard = new GroupCoordinatorShard(log, groups, offsets, Time.SYSTEM, timer, config, null, metrics);
        failure = null;
    }

    /** A proxy whose methods do nothing: replaying starts no timers. */
    private static Object idle(Class<?> kind) {
        return Proxy.newProxyInstance(GroupsJudge.class.getClassLoader(), new Class<?>[] {kind}, (self, method, given) -> {
            Class<?> result = method.getReturnType();
            return result == boolean.class ? Boolean.FALSE : result == int.class ? Integer.valueOf(0) : null;
        });
    }

    private String offset(String group, String topic, int partition) {
        OffsetAndMetadata found = offsets.offset(group, topic, partition);
        return found == null ? "null" : "[" + found.committedOffset + "," + found.recordOffset + "]";
    }

    private String groups() {
        List<String> answers = new ArrayList<>();
        groups.listGroups(Set.of(), Set.of(), Long.MAX_VALUE).forEach(listed -> {
            Group group = groups.group(listed.groupId());
            String what;
            List<String> members = new ArrayList<>();
            if (group instanceof ClassicGroup classic) {
                what = fields("epoch", classic.generationId());
                for (ClassicGroupMember each : classic.allMembers()) {
                    members.add(object(fields("id", each.memberId(), "client", each.clientId(), "host", each.clientHost(),
                        "instance", each.groupInstanceId().orElse(null), "rebalance", each.rebalanceTimeoutMs(),
                        "session", each.sessionTimeoutMs())));
                }
            } else if (group instanceof ConsumerGroup consumer) {
                what = fields("epoch", consumer.groupEpoch(), "assignmentEpoch", consumer.assignmentEpoch(),
                    "assignor", consumer.preferredServerAssignor().orElse("uniform"),
                    "topics", new TreeSet<>(consumer.subscribedTopicNames().keySet()));
                for (ConsumerGroupMember each : consumer.members().values()) {
                    members.add(object(fields("id", each.memberId(), "client", each.clientId(), "host", each.clientHost(),
                        "instance", each.instanceId(), "epoch", each.memberEpoch(), "state", each.state(),
                        "classic", each.useClassicProtocol(), "assigned", pairs(each.assignedPartitions()),
                        "pending", pairs(each.partitionsPendingRevocation()),
                        "target", pairs(consumer.targetAssignment(each.memberId()).partitions()))));
                }
            } else if (group instanceof ShareGroup share) {
                what = fields("epoch", share.groupEpoch(), "assignmentEpoch", share.assignmentEpoch(),
                    "topics", new TreeSet<>(share.subscribedTopicNames().keySet()));
                for (ShareGroupMember each : share.members().values()) {
                    members.add(object(fields("id", each.memberId(), "client", each.clientId(), "host", each.clientHost(),
                        "epoch", each.memberEpoch(), "assigned", pairs(each.assignedPartitions()),
                        "target", pairs(share.targetAssignment(each.memberId()).partitions()))));
                }
            } else {
                StreamsGroup streams = (StreamsGroup) group;
                what = fields("epoch", streams.groupEpoch(), "assignmentEpoch", streams.assignmentEpoch(),
                    "topology", streams.topology().map(each -> each.topologyEpoch()).orElse(null));
                for (StreamsGroupMember each : streams.members().values()) {
                    boolean known = each.assignedTasks() != null;
                    members.add(object(fields("id", each.memberId(), "client", each.clientId(),
                        "epoch", each.memberEpoch(), "state", each.state(), "assigned",
                        known ? pairs(each.assignedTasks().activeTasksWithEpochs()) : new TreeSet<String>())));
                }
            }
            answers.add(object(fields("id", listed.groupId(), "type", listed.groupType(), "state", listed.groupState(),
                "protocolType", listed.protocolType()) + "," + what + ",\"members\":[" + String.join(",", members) + "]"));
        });
        return "[" + String.join(",", answers) + "]";
    }

    private static TreeSet<String> pairs(Map<?, ?> assigned) {
        TreeSet<String> pairs = new TreeSet<>();
        assigned.forEach((topic, given) -> {
            Collection<?> numbers = given instanceof Map<?, ?> map ? map.keySet() : (Collection<?>) given;
            numbers.forEach(number -> pairs.add(topic + "-" + number));
        });
        return pairs;
    }

    private static String text(String base64) {
        return new String(BASE64.decode(base64), StandardCharsets.UTF_8);
    }

    private static String object(String fields) {
        return "{" + fields + "}";
    }

    private static String fields(Object... namesAndValues) {
        List<String> fields = new ArrayList<>();
        for (int each = 0; each < namesAndValues.length; each += 2) {
            fields.add(quoted((String) namesAndValues[each]) + ":" + json(namesAndValues[each + 1]));
        }
        return String.join(",", fields);
    }

    private static String json(Object value) {
        if (value instanceof Collection<?> many) {
            return "[" + String.join(",", many.stream().map(GroupsJudge::json).toList()) + "]";
        }
        return value == null || value instanceof Number || value instanceof Boolean ? "" + value : quoted("" + value);
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char each : text.toCharArray()) {
            quoted.append(each < ' ' || each == '"' || each == '\\' ? String.format("\\u%04x", (int) each) : "" + each);
        }
        return quoted.append('"').toString();
    }
}
