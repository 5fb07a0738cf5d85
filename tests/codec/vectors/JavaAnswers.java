import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.utils.BufferSupplier;

/**
 * Prints, line by line, the results of Java for bytes in Base64 from standard input:
 * "utf8 BYTES" with the text as hexadecimal UTF-16, "CODEC MAGIC BYTES" with "ok CONTENT" or "error EXCEPTION".
 */
public final class JavaAnswers {
    public static void main(String[] args) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] fields = line.split(" ", -1);
            byte[] data = Base64.getDecoder().decode(fields[fields.length - 1]);
            System.out.println(fields[0].equals("utf8") ? text(data) : content(fields[0], Byte.parseByte(fields[1]), data));
        }
    }

    private static String text(byte[] data) {
        StringBuilder hexadecimal = new StringBuilder();
        for (char unit : new String(data, StandardCharsets.UTF_8).toCharArray()) {
            hexadecimal.append(String.format("%04x", (int) unit));
        }
        return hexadecimal.toString();
    }

    private static String content(String codec, byte magic, byte[] data) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        try {
            CompressionType type = CompressionType.forName(codec);
            InputStream stream = Compression.of(type).build().wrapForInput(ByteBuffer.wrap(data), magic, BufferSupplier.NO_CACHING);
            // Byte by byte, as Kafka's record readers take the fields of a record.
            for (int next = stream.read(); next >= 0; next = stream.read()) {
                content.write(next);
            }
        } catch (Throwable failure) {
            return "error " + String.valueOf(failure).replace('\n', ' ');
        }
        return "ok " + Base64.getEncoder().encodeToString(content.toByteArray());
    }
}
