import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;

/**
 * What Kafka's JSON converters print of requests and responses that Kafka's classes read.
 *
 * <p>Reads lines of a class, a version and bytes in base64, separated by tabs; writes the JSON for each, or "null" and the
 * reason if Kafka does not read the bytes to their end; "-" for the bytes stands for a message in which nothing has been
 * set. A line of two fields of base64 has a request and its response, with headers
 * and without sizes, or an empty response if there is none; answers are the JSON of header, request, header and response.
 */
final class ProtocolJson {
    private ProtocolJson() {}

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] parts = line.split("\t", -1);
            out.println(parts.length == 3 ? message(parts) : exchange(bytes(parts[0]), bytes(parts[1])));
        }
        out.flush();
    }

    private static String message(String[] parts) throws Exception {
        ApiMessage message = (ApiMessage) Class.forName(parts[0]).getDeclaredConstructor().newInstance();
        short version = Short.parseShort(parts[1]);
        if (parts[2].equals("-"))
            return json(message, version);
        ByteBuffer buffer = bytes(parts[2]);
        try {
            String json = json(message, version, buffer);
            return buffer.hasRemaining() ? "null\t" + buffer.remaining() + " bytes left" : json;
        } catch (RuntimeException unreadable) {
            return "null\t" + String.valueOf(unreadable).replaceAll("\\s+", " ");
        }
    }

    private static String exchange(ByteBuffer request, ByteBuffer response) throws Exception {
        ApiMessageType api = ApiMessageType.fromApiKey(request.getShort(0));
        short version = request.getShort(2);
        String answer = json(new RequestHeaderData(), api.requestHeaderVersion(version), request)
            + "\t" + json(api.newRequest(), version, request);
        if (response.hasRemaining())
            answer += "\t" + json(new ResponseHeaderData(), api.responseHeaderVersion(version), response)
                + "\t" + json(api.newResponse(), version, response);
        if (request.hasRemaining() || response.hasRemaining())
            throw new IllegalStateException("bytes are left of " + api + " " + version);
        return answer;
    }

    private static String json(ApiMessage message, short version, ByteBuffer buffer) throws Exception {
        message.read(new ByteBufferAccessor(buffer), version);
        return json(message, version);
    }

    private static String json(ApiMessage message, short version) throws Exception {
        Class<?> type = message.getClass();
        return String.valueOf(Class.forName(type.getName() + "JsonConverter")
            .getMethod("write", type, short.class, boolean.class)
            .invoke(null, message, version, false));
    }

    private static ByteBuffer bytes(String base64) {
        return ByteBuffer.wrap(Base64.getDecoder().decode(base64));
    }
}
