import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestHeader;

/** A connection for requests that no client would send in the needed form: each is sent once, without follow-ups. */
final class Connection implements AutoCloseable {
    private static final int TIMEOUT_MS = 60_000;

    private final Socket socket;
    private int sent;

    /** Connects to {@code host:port}. */
    Connection(String server) throws IOException {
        String[] parts = server.split(":");
        socket = new Socket(parts[0], Integer.parseInt(parts[1]));
        socket.setSoTimeout(TIMEOUT_MS);
        socket.setTcpNoDelay(true);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** The header of the next request. */
    RequestHeader header(ApiKeys api, short version) {
        return new RequestHeader(api, version, "wire", sent++);
    }

    /** Sends a request, its header included, and waits for the answer, which begins with its header. */
    ByteBuffer exchange(ByteBuffer request) throws IOException {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        ByteBuffer framed = ByteBuffer.allocate(4 + request.remaining());
        framed.putInt(request.remaining()).put(request.duplicate());
        out.write(framed.array());
        out.flush();
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] answer = new byte[in.readInt()];
        in.readFully(answer);
        return ByteBuffer.wrap(answer);
    }
}
