import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Type;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.apache.kafka.common.requests.ResponseHeader;

/**
 * Sends single requests to servers, and prints their answers as Kafka's own classes decode them.
 *
 * <p>Each line of standard input is an object: {@code server} (host:port), {@code api} (as in ApiKeys), {@code version}
 * and {@code request}, in the JSON of Kafka's converters. Each line of standard output has the {@code answer} in the same
 * JSON, with the bytes of {@code records}, and whether Kafka would have encoded it by the same bytes ({@code isCanonical});
 * or an {@code error}, after which the next request has a new connection.
 */
final class AskServers {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Map<String, Connection> connections = new HashMap<>();
    private final Map<String, Method> converters = new HashMap<>();

    public static void main(String[] arguments) throws Exception {
        AskServers servers = new AskServers();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.write(MAPPER.writeValueAsBytes(servers.ask(MAPPER.readTree(line))));
            System.out.write('\n');
            System.out.flush();
        }
    }

    private ObjectNode ask(JsonNode line) throws Exception {
        String server = line.get("server").asText();
        ApiKeys api = ApiKeys.valueOf(line.get("api").asText());
        short version = (short) line.get("version").asInt();
        JsonNode json = known(line.get("request"), api.messageType.requestSchemas()[version]);
        ApiMessage request = (ApiMessage) converter(api.messageType.newRequest(), "read", JsonNode.class, short.class)
                .invoke(null, json, version);
        ObjectNode result = MAPPER.createObjectNode();
        try {
            if (!connections.containsKey(server)) {
                connections.put(server, new Connection(server));
            }
            Connection connection = connections.get(server);
            RequestHeader header = connection.header(api, version);
            ByteBuffer bytes = connection.exchange(RequestUtils.serialize(header.data(), header.headerVersion(), request, version));
            short headerVersion = api.responseHeaderVersion(version);
            int correlationId = ResponseHeader.parse(bytes, headerVersion).correlationId();
            if (correlationId != header.correlationId()) {
                throw new IOException("the answer is that of request " + correlationId + ", not " + header.correlationId());
            }
            decode(api, version, bytes, result);
        } catch (IOException | RuntimeException failure) {
            result.removeAll();
            result.put("error", failure.toString());
            Connection broken = connections.remove(server);
            if (broken != null) {
                broken.close();
            }
        }
        return result;
    }

    /** What is asked without the fields that a version does not have, so that one object serves for all versions. */
    private static JsonNode known(JsonNode json, Type type) {
        if (json.isArray() && type.arrayElementType().isPresent()) {
            ArrayNode elements = MAPPER.createArrayNode();
            json.forEach(element -> elements.add(known(element, type.arrayElementType().get())));
            return elements;
        }
        if (!json.isObject() || !(type instanceof Schema)) {
            return json;
        }
        ObjectNode fields = MAPPER.createObjectNode();
        json.properties().forEach(field -> {
            BoundField declared = ((Schema) type).get(field.getKey().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT));
            if (declared != null) {
                fields.set(field.getKey(), known(field.getValue(), declared.def.type));
            }
        });
        return fields;
    }

    private void decode(ApiKeys api, short version, ByteBuffer bytes, ObjectNode result) throws Exception {
        ByteBuffer body = bytes.slice();
        ApiMessage answer = api.messageType.newResponse();
        answer.read(new ByteBufferAccessor(bytes), version);
        if (bytes.hasRemaining()) {
            throw new IOException("the answer is followed by " + bytes.remaining() + " bytes");
        }
        JsonNode json = (JsonNode) converter(answer, "write", answer.getClass(), short.class).invoke(null, answer, version);
        if (answer instanceof FetchResponseData fetched) {
            addRecords(fetched, json);
        }
        result.set("answer", json);
        result.put("isCanonical", MessageUtil.toByteBufferAccessor(answer, version).buffer().equals(body));
    }

    /** The converters leave records out. */
    private static void addRecords(FetchResponseData fetched, JsonNode json) {
        for (int topic = 0; topic < fetched.responses().size(); topic++) {
            JsonNode partitions = json.get("responses").get(topic).get("partitions");
            for (int number = 0; number < partitions.size(); number++) {
                MemoryRecords records = (MemoryRecords)
                        fetched.responses().get(topic).partitions().get(number).records();
                if (records != null) {
                    byte[] bytes = MessageUtil.byteBufferToArray(records.buffer());
                    ((ObjectNode) partitions.get(number)).put("records", Base64.getEncoder().encodeToString(bytes));
                }
            }
        }
    }

    private Method converter(ApiMessage message, String name, Class<?>... types) throws ReflectiveOperationException {
        String converter = message.getClass().getName() + "JsonConverter";
        Method known = converters.get(converter);
        if (known == null) {
            known = Class.forName(converter).getMethod(name, types);
            converters.put(converter, known);
        }
        return known;
    }
}
