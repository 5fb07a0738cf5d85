import com.amazonaws.services.schemaregistry.common.Schema;
import com.amazonaws.services.schemaregistry.common.configs.GlueSchemaRegistryConfiguration;
import com.amazonaws.services.schemaregistry.deserializers.protobuf.ProtobufDeserializer;
import com.amazonaws.services.schemaregistry.deserializers.protobuf.ProtobufSchemaParser;
import com.amazonaws.services.schemaregistry.serializers.SerializationDataEncoder;
import com.amazonaws.services.schemaregistry.serializers.protobuf.ProtobufSerializer;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Writes Protobuf values with AWS Glue's serializer, and reads them with its deserializer; the registry is this program.
 *
 * Input and output are those of Apicurio.java; there are no headers.
 */
public final class Glue {
    private static final UUID ID = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");

    private Glue() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream output = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] parts = line.split("\t", -1);
            String text = new String(Base64.getDecoder().decode(parts[0]), StandardCharsets.UTF_8);
            FileDescriptor file = ProtobufSchemaParser.parse(text, "orders.proto");
            DynamicMessage.Builder message = DynamicMessage.newBuilder(message(file, parts[1]));
            JsonFormat.parser().merge(parts[2], message);
            Map<String, Object> settings = new HashMap<>();
            settings.put("region", "eu-central-1");
            for (String setting : parts[3].split(",")) {
                if (!setting.isEmpty()) {
                    settings.put(setting.split("=")[0], setting.split("=")[1]);
                }
            }
            GlueSchemaRegistryConfiguration configuration = new GlueSchemaRegistryConfiguration(settings);
            byte[] inner = new ProtobufSerializer(configuration).serialize(message.build());
            byte[] value = new SerializationDataEncoder(configuration).write(inner, ID);
            output.println(Base64.getEncoder().encodeToString(value) + "\t\t" + read(configuration, text, value));
        }
        output.flush();
    }

    private static Descriptor message(FileDescriptor file, String name) {
        Descriptor found = null;
        for (String part : name.substring(file.getPackage().length() + 1).split("\\.")) {
            found = found == null ? file.findMessageTypeByName(part) : found.findNestedTypeByName(part);
        }
        return found;
    }

    private static String read(GlueSchemaRegistryConfiguration configuration, String text, byte[] value) {
        try {
            Object found =
                new ProtobufDeserializer(configuration)
                    .deserialize(ByteBuffer.wrap(value), new Schema(text, "PROTOBUF", "orders.proto"));
            return JsonFormat.printer()
                .omittingInsignificantWhitespace()
                .preservingProtoFieldNames()
                .includingDefaultValueFields()
                .print((Message) found);
        } catch (Exception error) {
            return "!" + error.toString().replaceAll("[\\n\\t]", " ");
        }
    }
}
