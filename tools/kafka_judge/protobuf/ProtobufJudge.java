import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DurationProto;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.StructProto;
import com.google.protobuf.TimestampProto;
import com.google.protobuf.WrappersProto;
import com.google.protobuf.util.JsonFormat;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Reads Protobuf values. A line of the input is "schema" and a FileDescriptorProto in base64, or "value", the name of a
 * message at its top, and bytes in base64; a line of the output has the value as JSON, or "!" and the error.
 */
public final class ProtobufJudge {
    private static final FileDescriptor[] KNOWN = {
        TimestampProto.getDescriptor(), DurationProto.getDescriptor(), StructProto.getDescriptor(),
        WrappersProto.getDescriptor(),
    };

    private ProtobufJudge() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream output = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        JsonFormat.Printer printer =
            JsonFormat.printer()
                .omittingInsignificantWhitespace()
                .preservingProtoFieldNames()
                .alwaysPrintFieldsWithNoPresence();
        FileDescriptor file = null;
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] parts = line.split(" ", -1);
            if (parts[0].equals("schema")) {
                byte[] bytes = Base64.getDecoder().decode(parts[1]);
                file = FileDescriptor.buildFrom(FileDescriptorProto.parseFrom(bytes), KNOWN);
                continue;
            }
            Descriptor message = file.findMessageTypeByName(parts[1]);
            try {
                // Required fields may be absent.
                DynamicMessage value =
                    DynamicMessage.newBuilder(message).mergeFrom(Base64.getDecoder().decode(parts[2])).buildPartial();
                output.println(printer.print(value));
            } catch (InvalidProtocolBufferException | IllegalArgumentException error) {
                output.println("!" + error.toString().replace('\n', ' '));
            }
        }
        output.flush();
    }
}
