import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.util.JsonFormat;
import io.apicurio.registry.resolver.ParsedSchema;
import io.apicurio.registry.resolver.ParsedSchemaImpl;
import io.apicurio.registry.resolver.SchemaLookupResult;
import io.apicurio.registry.resolver.SchemaParser;
import io.apicurio.registry.resolver.SchemaResolver;
import io.apicurio.registry.resolver.client.RegistryClientFacade;
import io.apicurio.registry.resolver.data.Record;
import io.apicurio.registry.resolver.strategy.ArtifactReference;
import io.apicurio.registry.resolver.strategy.ArtifactReferenceResolverStrategy;
import io.apicurio.registry.serde.protobuf.ProtobufKafkaDeserializer;
import io.apicurio.registry.serde.protobuf.ProtobufKafkaSerializer;
import io.apicurio.registry.serde.protobuf.ProtobufSchemaParser;
import io.apicurio.registry.utils.protobuf.schema.ProtobufSchema;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Writes Protobuf values with Apicurio's serializer, and reads them with its deserializer; the registry is this program.
 *
 * A line of the input has, between tabs, a schema in base64, the full name of a message, its JSON, and settings
 * (NAME=VALUE, ..) of both. A line of the output has the value in base64, its headers (NAME=base64, ..), and the message
 * as JSON, or "!" and the error.
 */
public final class Apicurio {
    private static final long ID = 7;

    private Apicurio() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream output = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] parts = line.split("\t", -1);
            Registry registry = new Registry(Base64.getDecoder().decode(parts[0]));
            DynamicMessage.Builder message = DynamicMessage.newBuilder(registry.message(parts[1]));
            JsonFormat.parser().merge(parts[2], message);
            Map<String, Object> settings = new HashMap<>();
            settings.put("apicurio.registry.url", "http://localhost/none");
            settings.put("apicurio.registry.deserializer.value.return-class", DynamicMessage.class.getName());
            for (String setting : parts[3].split(",")) {
                if (!setting.isEmpty()) {
                    settings.put(setting.split("=")[0], setting.split("=")[1]);
                }
            }
            RecordHeaders headers = new RecordHeaders();
            byte[] value;
            try (ProtobufKafkaSerializer<DynamicMessage> serializer = new ProtobufKafkaSerializer<>(registry)) {
                serializer.configure(settings, false);
                value = serializer.serialize("orders", headers, message.build());
            }
            String named =
                StreamSupport.stream(headers.spliterator(), false)
                    .map(each -> each.key() + "=" + Base64.getEncoder().encodeToString(each.value()))
                    .collect(Collectors.joining(","));
            output.println(
                Base64.getEncoder().encodeToString(value) + "\t" + named + "\t" + read(registry, settings, headers, value));
        }
        output.flush();
    }

    private static String read(Registry registry, Map<String, Object> settings, RecordHeaders headers, byte[] value) {
        RecordHeaders kept = new RecordHeaders();
        for (Header each : headers) {
            // The name of a Java class: that of DynamicMessage says nothing of the message.
            if (!each.key().equals("apicurio.value.msgType")) {
                kept.add(each);
            }
        }
        try (ProtobufKafkaDeserializer<DynamicMessage> deserializer = new ProtobufKafkaDeserializer<>(registry)) {
            deserializer.configure(settings, false);
            DynamicMessage found = deserializer.deserialize("orders", kept, value);
            return JsonFormat.printer()
                .omittingInsignificantWhitespace()
                .preservingProtoFieldNames()
                .alwaysPrintFieldsWithNoPresence()
                .print(found);
        } catch (Exception error) {
            return "!" + error.toString().replaceAll("[\\n\\t]", " ");
        }
    }

    /** A registry of one schema. */
    private static final class Registry implements SchemaResolver<ProtobufSchema, DynamicMessage> {
        private final ProtobufSchemaParser<DynamicMessage> parser = new ProtobufSchemaParser<>();
        private final ParsedSchema<ProtobufSchema> schema;

        Registry(byte[] text) {
            schema =
                new ParsedSchemaImpl<ProtobufSchema>()
                    .setParsedSchema(parser.parseSchema(text, Map.of()))
                    .setRawSchema(text);
        }

        Descriptor message(String name) {
            FileDescriptor file = schema.getParsedSchema().getFileDescriptor();
            Descriptor found = null;
            for (String part : name.substring(file.getPackage().length() + 1).split("\\.")) {
                found = found == null ? file.findMessageTypeByName(part) : found.findNestedTypeByName(part);
            }
            return found;
        }

        private SchemaLookupResult<ProtobufSchema> found() {
            return SchemaLookupResult.<ProtobufSchema>builder()
                .parsedSchema(schema)
                .globalId(ID)
                .contentId(ID)
                .build();
        }

        @Override
        public void setClientFacade(RegistryClientFacade facade) {}

        @Override
        public void setArtifactResolverStrategy(ArtifactReferenceResolverStrategy<ProtobufSchema, DynamicMessage> any) {}

        @Override
        public SchemaParser<ProtobufSchema, DynamicMessage> getSchemaParser() {
            return parser;
        }

        @Override
        public SchemaLookupResult<ProtobufSchema> resolveSchema(Record<DynamicMessage> record) {
            return found();
        }

        @Override
        public SchemaLookupResult<ProtobufSchema> resolveSchemaByArtifactReference(ArtifactReference reference) {
            return found();
        }

        @Override
        public void reset() {}

        @Override
        public void close() {}
    }
}
