package kafkafmt;

import io.kaitai.struct.ByteBufferKaitaiStream;
import io.kaitai.struct.KaitaiStream;
import io.kaitai.struct.KaitaiStruct;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.BufferUnderflowException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Parses files with generated classes, and prints all fields and instances that these have.
 *
 * <p>Reads lines of class, path and numbers that are the spec's parameters, parted by tabs; writes a line of JSON
 * {tree, error} for each. Names of fields have neither capitals nor underscores, bytes are hex, enums their numbers.
 */
final class Trees {
    private static final Map<Class<?>, List<Method>> FIELDS = new HashMap<>();

    private Trees() {}

    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        try (BufferedReader jobs = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
                BufferedWriter trees =
                        new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8))) {
            for (String line = jobs.readLine(); line != null; line = jobs.readLine()) {
                StringBuilder out = new StringBuilder("{");
                try {
                    Object root = parse(line.split("\t", -1));
                    out.append("\"tree\":");
                    write(root, out);
                    out.append(",\"error\":null}");
                } catch (InvocationTargetException failed) {
                    out.append("\"error\":\"").append(kind(failed.getCause())).append("\"}");
                }
                trees.write(out.append('\n').toString());
            }
        }
    }

    private static Object parse(String[] job) throws IOException, ReflectiveOperationException {
        KaitaiStream stream = new ByteBufferKaitaiStream(Files.readAllBytes(Path.of(job[1])));
        Class<?> chosen = Class.forName("specs." + job[0]);
        for (Constructor<?> constructor : chosen.getConstructors()) {
            Class<?>[] types = constructor.getParameterTypes();
            if (types.length != job.length - 1 || types[0] != KaitaiStream.class) {
                continue;
            }
            Object[] arguments = new Object[types.length];
            arguments[0] = stream;
            for (int i = 1; i < types.length; i++) {
                arguments[i] = argument(types[i], Long.parseLong(job[i + 1]));
            }
            return constructor.newInstance(arguments);
        }
        throw new NoSuchMethodException(job[0] + " with " + (job.length - 2) + " parameters");
    }

    private static Object argument(Class<?> type, long number) throws ReflectiveOperationException {
        if (type.isEnum()) {
            return type.getMethod("byId", long.class).invoke(null, number);
        }
        if (type == boolean.class) {
            return number != 0;
        }
        if (type == long.class) {
            return number;
        }
        return type == int.class ? (Object) (int) number : type == short.class ? (Object) (short) number : (byte) number;
    }

    /** All public methods without parameters that the class itself declares, except those that Kaitai adds. */
    private static List<Method> fields(Class<?> type) {
        return FIELDS.computeIfAbsent(type, declaring -> {
            List<Method> found = new ArrayList<>();
            for (Method method : declaring.getDeclaredMethods()) {
                if (Modifier.isPublic(method.getModifiers())
                        && !Modifier.isStatic(method.getModifiers())
                        && method.getParameterCount() == 0
                        && method.getReturnType() != void.class
                        && !method.getName().startsWith("_")) {
                    found.add(method);
                }
            }
            found.sort(Comparator.comparing(Method::getName));
            return found;
        });
    }

    private static void write(Object value, StringBuilder out) throws ReflectiveOperationException {
        if (value instanceof KaitaiStruct) {
            String before = "{";
            for (Method field : fields(value.getClass())) {
                StringBuilder found = new StringBuilder();
                try {
                    Object read = field.invoke(value);
                    if (read == null) {
                        continue;
                    }
                    write(read, found);
                } catch (InvocationTargetException failed) {
                    found.append("{\"error\":\"").append(kind(failed.getCause())).append("\"}");
                }
                out.append(before).append('"').append(field.getName().toLowerCase()).append("\":").append(found);
                before = ",";
            }
            out.append(before.equals("{") ? "{}" : "}");
        } else if (value instanceof byte[] bytes) {
            out.append('"').append(HexFormat.of().formatHex(bytes)).append('"');
        } else if (value instanceof List<?> list) {
            out.append('[');
            for (int i = 0; i < list.size(); i++) {
                if (i > 0) {
                    out.append(',');
                }
                write(list.get(i), out);
            }
            out.append(']');
        } else if (value instanceof Enum<?>) {
            out.append(value.getClass().getMethod("id").invoke(value));
        } else if (value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            throw new IllegalStateException("unexpected " + value.getClass());
        }
    }

    private static String kind(Throwable error) {
        // The runtime allocates the declared size before it checks how many bytes there are.
        if (error instanceof BufferUnderflowException || error instanceof OutOfMemoryError) {
            return "EOFError";
        }
        if (error instanceof KaitaiStream.ValidationFailedError) {
            return error.getClass().getSimpleName();
        }
        if (error instanceof NegativeArraySizeException || error instanceof IllegalArgumentException) {
            return "RangeError";
        }
        return error.getClass().getName();
    }
}
