import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.NameValidator;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.util.RandomData;

/**
 * Writes random values of Avro schemas, and reads them as written and as resolved to another schema.
 *
 * <p>A line of input: the number of a pair, a seed, how many values, the writer's schema, the reader's, with tabs
 * between. Lines of output: the number; the bytes in base64; the value as written, and as resolved, in JSON, or "! " and
 * why there is none. A pair that cannot be parsed has one line: the number, and "! " and why.
 */
final class ValueJudge {
  private static final ObjectMapper JSON = new ObjectMapper();

  private ValueJudge() {}

  public static void main(String[] arguments) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] parts = line.split("\t");
      Schema writer;
      Schema reader;
      try {
        writer = parsed(parts[3]);
        reader = parsed(parts[4]);
      } catch (AvroRuntimeException error) {
        out.println(parts[0] + "\t" + refused(error));
        continue;
      }
      for (Object value : new RandomData(writer, Integer.parseInt(parts[2]), Long.parseLong(parts[1]), true)) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
        new GenericDatumWriter<Object>(writer).write(value, encoder);
        encoder.flush();
        byte[] data = bytes.toByteArray();
        out.println(
            String.join("\t", parts[0], Base64.getEncoder().encodeToString(data), read(writer, writer, data),
                read(writer, reader, data)));
      }
    }
    out.flush();
  }

  private static Schema parsed(String text) {
    return new Schema.Parser(NameValidator.STRICT_VALIDATOR).setValidateDefaults(false).parse(text);
  }

  private static String read(Schema writer, Schema reader, byte[] data) throws Exception {
    try {
      Object value =
          new GenericDatumReader<Object>(writer, reader).read(null, DecoderFactory.get().binaryDecoder(data, null));
      return JSON.writeValueAsString(shown(reader, value));
    } catch (AvroRuntimeException | NullPointerException | ClassCastException error) {
      return refused(error);
    }
  }

  private static String refused(Exception error) {
    return "! " + String.valueOf(error).replaceAll("\\s+", " ");
  }

  /** A value without logical types, in JSON that loses nothing. */
  private static Object shown(Schema schema, Object value) {
    switch (schema.getType()) {
      case RECORD:
        Map<String, Object> fields = new LinkedHashMap<>();
        for (Schema.Field field : schema.getFields()) {
          fields.put(field.name(), shown(field.schema(), ((IndexedRecord) value).get(field.pos())));
        }
        return fields;
      case ARRAY:
        List<Object> items = new ArrayList<>();
        for (Object item : (Collection<?>) value) {
          items.add(shown(schema.getElementType(), item));
        }
        return items;
      case MAP:
        Map<String, Object> entries = new TreeMap<>();
        for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
          entries.put(entry.getKey().toString(), shown(schema.getValueType(), entry.getValue()));
        }
        return entries;
      case UNION:
        Schema branch =
            schema.getTypes().get(org.apache.avro.generic.GenericData.get().resolveUnion(schema, value));
        Object inner = shown(branch, value);
        boolean isOptional = schema.getTypes().stream().filter(each -> !each.isNullable()).count() < 2;
        return isOptional || branch.getType() == Schema.Type.NULL ? inner : Map.of(branch.getFullName(), inner);
      case BYTES:
        ByteBuffer buffer = ((ByteBuffer) value).duplicate();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return Map.of("bytes", Base64.getEncoder().encodeToString(bytes));
      case FIXED:
        return Map.of("bytes", Base64.getEncoder().encodeToString(((GenericFixed) value).bytes()));
      case FLOAT:
        return Map.of("bits", Double.doubleToLongBits((Float) value));
      case DOUBLE:
        return Map.of("bits", Double.doubleToLongBits((Double) value));
      case STRING:
      case ENUM:
        return value.toString();
      default:
        return value;
    }
  }
}
