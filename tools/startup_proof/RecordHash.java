import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.apache.kafka.common.header.Header;

/** What a record is known by: offset, timestamp, key, value, headers. */
final class RecordHash {
    private static final int BYTES = 6;

    private RecordHash() {}

    /** The first bytes of SHA-256, in hex; lengths have 4 bytes, -1 for null. */
    static String of(long offset, long timestamp, ByteBuffer key, ByteBuffer value, Header[] headers) {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
        digest.update(ByteBuffer.allocate(16).putLong(offset).putLong(timestamp).flip());
        update(digest, key);
        update(digest, value);
        for (Header header : headers) {
            update(digest, StandardCharsets.UTF_8.encode(header.key()));
            update(digest, header.value() == null ? null : ByteBuffer.wrap(header.value()));
        }
        return HexFormat.of().formatHex(digest.digest(), 0, BYTES);
    }

    private static void update(MessageDigest digest, ByteBuffer data) {
        digest.update(ByteBuffer.allocate(4).putInt(data == null ? -1 : data.remaining()).flip());
        if (data != null) {
            digest.update(data.duplicate());
        }
    }
}
