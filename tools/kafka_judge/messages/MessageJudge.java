import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.serialization.AbstractApiMessageSerde;

/**
 * Random messages, as Kafka's own classes write them and as its JSON converters print them; and mutations of them, as
 * the classes read those.
 *
 * <p>Arguments: seed, messages of each version, mutations of each message. Reads lines of a class, how its messages
 * stand in records (plain, versioned, typed or framed) and the fields that can be null, with the versions in which they
 * can ("MemberMetadata.ClientId 0-3,..."), separated by tabs; writes lines of class, version, form, bytes in base64, JSON. The form of a mutation is "mutated",
 * it is the message alone, and its JSON is "null" if Kafka does not read it.
 */
public final class MessageJudge {
    /** The kind of values in a message. */
    private enum Mode { ANY, EMPTY, NULL, EXTREME, LONG, DEFAULT }

    private static final String PIECES = "a0 \"\\/\n\t\u0001\u007f\u00e9\u20ac\ufffd";

    private final Random random;
    private final Mode mode;
    private final Map<String, short[]> nullable;
    private final Set<String> left;
    private int longOnes = 4;

    private MessageJudge(Random random, Mode mode, Map<String, short[]> nullable, Set<String> left) {
        this.random = random;
        this.mode = mode;
        this.nullable = nullable;
        this.left = left;
    }

    public static void main(String[] arguments) throws Exception {
        long seed = Long.parseLong(arguments[0]);
        int count = Integer.parseInt(arguments[1]);
        int mutations = Integer.parseInt(arguments[2]);
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] parts = line.split("\t", -1);
            Map<String, short[]> nullable = new HashMap<>();
            for (String field : parts[2].split(",")) {
                String[] range = field.substring(field.indexOf(' ') + 1).split("-");
                if (range.length == 2)
                    nullable.put(field.split(" ")[0], new short[] {Short.parseShort(range[0]), Short.parseShort(range[1])});
            }
            answer(parts[0], parts[1], nullable, seed, count, mutations, out);
        }
        out.flush();
    }

    private static void answer(String name, String form, Map<String, short[]> nullable, long seed, int count, int mutations,
            PrintStream out) throws Exception {
        Class<?> type = Class.forName(name);
        Method toJson = Class.forName(name + "JsonConverter").getMethod("write", type, short.class, boolean.class);
        short first = type.getField("LOWEST_SUPPORTED_VERSION").getShort(null);
        short last = type.getField("HIGHEST_SUPPORTED_VERSION").getShort(null);
        for (short version = first; version <= last; version++) {
            // Fields that this version lacks, and whether it has tagged ones: learned from failed writes.
            Set<String> left = new HashSet<>();
            for (int done = 0, tries = 0; done < count; tries++) {
                if (tries > 50 * count)
                    throw new IllegalStateException("nothing can be written of " + name + " " + version);
                Random random = new Random(seed * 1_000_003 + tries * 31L + version + name.hashCode());
                Mode mode = done < Mode.values().length ? Mode.values()[done] : Mode.ANY;
                Message message = (Message) new MessageJudge(random, mode, nullable, left).made(type, version);
                try {
                    byte[] data = written(message, version, form);
                    Object json = toJson.invoke(null, message, version, false);
                    print(out, type, version, form, data, json);
                    byte[] plain = written(message, version, "plain");
                    for (int i = 0; i < mutations && plain.length > 0 && plain.length < 1000; i++) {
                        byte[] changed = mutated(plain, random);
                        print(out, type, version, "mutated", changed, read(type, version, changed, toJson));
                    }
                    done++;
                } catch (UnsupportedVersionException unsupported) {
                    left.add(reason(unsupported.getMessage()));
                }
            }
        }
    }

    private static void print(PrintStream out, Class<?> type, short version, String form, byte[] data, Object json) {
        out.println(String.join("\t", type.getSimpleName(), Short.toString(version), form,
            Base64.getEncoder().encodeToString(data), String.valueOf(json)));
    }

    private static byte[] mutated(byte[] data, Random random) {
        byte[] changed = data.clone();
        int at = random.nextInt(changed.length);
        switch (random.nextInt(4)) {
            case 0:
                return Arrays.copyOf(changed, at);
            case 1:
                changed[at] = new byte[] {0, 1, 2, 0x7f, -128, -1}[random.nextInt(6)];
                return changed;
            case 2:
                changed[at] += random.nextBoolean() ? 1 : -1;
                return changed;
            default:
                changed[at] ^= 1 << random.nextInt(8);
                return changed;
        }
    }

    private static Object read(Class<?> type, short version, byte[] data, Method toJson) throws Exception {
        Message message = (Message) type.getDeclaredConstructor().newInstance();
        try {
            message.read(new ByteBufferAccessor(ByteBuffer.wrap(data)), version);
        } catch (RuntimeException unreadable) {
            return null;
        }
        return toJson.invoke(null, message, version, false);
    }

    private static String reason(String message) {
        int at = message.indexOf("non-default ");
        if (at >= 0)
            return message.substring(at + "non-default ".length()).split(" ")[0].toLowerCase();
        if (message.contains("agged field"))
            return "unknownTaggedFields";
        throw new IllegalStateException(message);
    }

    private static byte[] written(Message message, short version, String form) {
        switch (form) {
            case "versioned":
                return MessageUtil.toVersionPrefixedBytes(version, message);
            case "typed":
                return MessageUtil.toCoordinatorTypePrefixedBytes((ApiMessage) message);
            case "framed": {
                ApiMessageAndVersion framed = new ApiMessageAndVersion((ApiMessage) message, version);
                ObjectSerializationCache cache = new ObjectSerializationCache();
                ByteBuffer buffer = ByteBuffer.allocate(FRAMED.recordSize(framed, cache));
                FRAMED.write(framed, cache, new ByteBufferAccessor(buffer));
                return buffer.array();
            }
            default:
                return MessageUtil.byteBufferToArray(MessageUtil.toByteBufferAccessor(message, version).buffer());
        }
    }

    private static final AbstractApiMessageSerde FRAMED = new AbstractApiMessageSerde() {
        @Override
        public ApiMessage apiMessageFor(short apiKey) {
            throw new UnsupportedOperationException();
        }
    };

    private Object made(Class<?> type, short version) throws Exception {
        Message message = (Message) type.getDeclaredConstructor().newInstance();
        Method[] methods = type.getMethods();
        Arrays.sort(methods, Comparator.comparing(Method::getName));
        for (Method setter : methods) {
            String name = setter.getName().replaceFirst("^set", "");
            boolean isField = setter.getName().startsWith("set") && setter.getParameterCount() == 1
                && !name.equals("Next") && !name.equals("Prev");
            if (!isField || left.contains(name.toLowerCase()))
                continue;
            Type kind = setter.getGenericParameterTypes()[0];
            short[] ofNull = nullable.getOrDefault(type.getSimpleName() + "." + name, new short[] {0, -1});
            if (name.equals("Version") && kind == short.class && nullable.containsKey("version"))
                setter.invoke(message, version);
            else if (ofNull[0] <= version && version <= ofNull[1] && isNull())
                setter.invoke(message, (Object) null);
            else if (mode != Mode.DEFAULT || kind == String.class || kind == BaseRecords.class || random.nextInt(3) == 0)
                setter.invoke(message, value(kind, name, version));
        }
        if (!left.contains("unknownTaggedFields") && random.nextInt(3) == 0) {
            byte[] data = new byte[random.nextInt(200)];
            random.nextBytes(data);
            message.unknownTaggedFields().add(new RawTaggedField(100 + random.nextInt(1000), data));
        }
        return message;
    }

    private boolean isNull() {
        return mode == Mode.NULL || mode == Mode.ANY && random.nextInt(4) == 0;
    }

    private Object value(Type type, String name, short version) throws Exception {
        if (type == boolean.class)
            return random.nextBoolean();
        if (type == byte.class || type == Byte.class)
            return (byte) number(Byte.MIN_VALUE, Byte.MAX_VALUE);
        if (type == short.class || type == Short.class)
            return (short) number(Short.MIN_VALUE, Short.MAX_VALUE);
        // Kafka has unsigned 16 bits in an int, and no field of 32 bits is called so.
        if (type == int.class && name.endsWith("Port"))
            return (int) number(0, 0xffff);
        if (type == int.class || type == Integer.class)
            return (int) number(Integer.MIN_VALUE, Integer.MAX_VALUE);
        if (type == long.class || type == Long.class)
            return number(Long.MIN_VALUE, Long.MAX_VALUE);
        if (type == double.class)
            return mode == Mode.EXTREME ? Double.MIN_VALUE : random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20);
        if (type == String.class)
            return text();
        if (type == Uuid.class)
            return mode == Mode.EMPTY ? Uuid.ZERO_UUID : new Uuid(random.nextLong(), random.nextLong());
        if (type == byte[].class)
            return bytes();
        if (type == ByteBuffer.class)
            return ByteBuffer.wrap(bytes());
        if (type == BaseRecords.class)
            return MemoryRecords.readableRecords(ByteBuffer.wrap(bytes()));
        if (type instanceof ParameterizedType && ((ParameterizedType) type).getRawType() == List.class) {
            List<Object> list = new ArrayList<>();
            for (int left = elements(); left > 0; left--)
                list.add(value(((ParameterizedType) type).getActualTypeArguments()[0], name, version));
            return list;
        }
        Class<?> other = (Class<?>) type;
        if (!(other.getGenericSuperclass() instanceof ParameterizedType))
            return made(other, version);
        // A collection that finds its elements by their keys.
        @SuppressWarnings("unchecked")
        Collection<Object> collection = (Collection<Object>) other.getDeclaredConstructor().newInstance();
        Type element = ((ParameterizedType) other.getGenericSuperclass()).getActualTypeArguments()[0];
        for (int left = elements(); left > 0; left--)
            collection.add(value(element, name, version));
        return collection;
    }

    private long number(long least, long greatest) {
        if (mode == Mode.EXTREME)
            return random.nextBoolean() ? least : greatest;
        if (mode == Mode.EMPTY)
            return 0;
        long any = random.nextLong() >> random.nextInt(64);
        return any >= least && any <= greatest ? any : least + Math.floorMod(any, greatest - least + 1);
    }

    private int elements() {
        if (mode == Mode.EMPTY)
            return 0;
        // An array of 128 elements and more has a length of two bytes.
        return isLong() ? 130 : random.nextInt(4);
    }

    private boolean isLong() {
        return mode == Mode.LONG && random.nextBoolean() && longOnes-- > 0;
    }

    private String text() {
        if (mode == Mode.EMPTY)
            return "";
        if (isLong())
            return random.nextBoolean() ? "x".repeat(Short.MAX_VALUE) : "\u20ac".repeat(Short.MAX_VALUE / 3);
        StringBuilder text = new StringBuilder();
        for (int left = random.nextInt(random.nextInt(10) == 0 ? 150 : 10); left > 0; left--) {
            int choice = random.nextInt(PIECES.length() + 1);
            text.append(choice < PIECES.length() ? PIECES.substring(choice, choice + 1) : "\ud83d\ude00");
        }
        return text.toString();
    }

    private byte[] bytes() {
        int size = mode == Mode.EMPTY ? 0 : isLong() ? 20_000 : random.nextInt(9);
        byte[] data = new byte[size];
        random.nextBytes(data);
        return data;
    }
}
