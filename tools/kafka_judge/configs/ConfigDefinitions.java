import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.coordinator.group.GroupConfig;
import org.apache.kafka.server.config.AbstractKafkaConfig;
import org.apache.kafka.server.config.DynamicBrokerConfig;
import org.apache.kafka.server.config.DynamicConfig;
import org.apache.kafka.server.config.ServerTopicConfigSynonyms;
import org.apache.kafka.server.metrics.ClientMetricsConfigs;
import org.apache.kafka.storage.internals.log.LogConfig;

/** Kafka's config definitions: of topics, dynamic ones of brokers, of groups and of client metrics. */
final class ConfigDefinitions {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, ConfigDef.ConfigKey> BROKER = AbstractKafkaConfig.CONFIG_DEF.configKeys();

    private ConfigDefinitions() {}

    /** Prints one definition per line. */
    public static void main(String[] arguments) throws Exception {
        for (ConfigDef.ConfigKey key : sorted(LogConfig.configKeys())) {
            print("TOPIC", key, synonyms(ServerTopicConfigSynonyms.TOPIC_CONFIG_SYNONYMS.get(key.name)));
        }
        Map<String, ConfigDef.ConfigKey> dynamic = new HashMap<>(DynamicConfig.Broker.configKeys());
        dynamic.putAll(BROKER);
        dynamic.keySet().retainAll(DynamicBrokerConfig.ALL_DYNAMIC_CONFIGS);
        for (ConfigDef.ConfigKey key : sorted(dynamic)) {
            // A broker does not define configs of replication quotas: it has neither a default nor a text for them.
            print("BROKER", key, BROKER.containsKey(key.name) ? synonyms(key.name) : List.of());
        }
        for (ConfigDef.ConfigKey key : sorted(GroupConfig.CONFIG_DEF.configKeys())) {
            print("GROUP", key, synonyms(GroupConfig.brokerSynonym(key.name).orElse(null)));
        }
        for (ConfigDef.ConfigKey key : sorted(ClientMetricsConfigs.configDef().configKeys())) {
            print("CLIENT_METRICS", key, List.of());
        }
    }

    private static Iterable<ConfigDef.ConfigKey> sorted(Map<String, ConfigDef.ConfigKey> keys) {
        return new TreeMap<>(keys).values();
    }

    /** A broker's names for a config, the strongest first, with Kafka's default of each. */
    private static List<Object> synonyms(String name) {
        List<Object> found = new ArrayList<>();
        if (name != null) {
            for (String each : DynamicBrokerConfig.brokerConfigSynonyms(name, true)) {
                ConfigDef.ConfigKey key = BROKER.get(each);
                List<String> pair = new ArrayList<>();
                pair.add(each);
                pair.add(key == null ? null : text(key));
                found.add(pair);
            }
        }
        return found;
    }

    private static String text(ConfigDef.ConfigKey key) {
        return key.hasDefault() ? ConfigDef.convertToString(key.defaultValue, key.type) : null;
    }

    private static void print(String resource, ConfigDef.ConfigKey key, List<Object> synonyms) throws Exception {
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("resource", resource);
        found.put("name", key.name);
        found.put("type", key.type.name());
        boolean isKnown = !resource.equals("BROKER") || BROKER.containsKey(key.name);
        found.put("default", isKnown ? text(key) : null);
        found.put("synonyms", synonyms);
        found.put("documentation", isKnown ? key.documentation : null);
        found.put("internal", key.internalConfig);
        System.out.println(JSON.writeValueAsString(found));
    }
}
