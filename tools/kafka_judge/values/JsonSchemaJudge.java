import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;

/**
 * Reads JSON values with Jackson, as Confluent's deserializer does, and says whether they are valid by JSON Schemas.
 *
 * <p>A line of input: the draft as VersionFlag names it and a schema, or nothing and a value in base64, with a tab
 * between; values are asked of all schemas after the last value before them. A line of output for each value: for each
 * of these schemas an empty text if the value is valid, else why it is not; and the value as it was read, as JSON in
 * ASCII. Where the bytes are not JSON: "!" and why, and nothing else.
 */
final class JsonSchemaJudge {
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .build();

  private JsonSchemaJudge() {}

  public static void main(String[] arguments) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    List<JsonSchema> schemas = new ArrayList<>();
    boolean isNew = false;
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] parts = line.split("\t", 2);
      if (!parts[0].isEmpty()) {
        if (!isNew) {
          schemas.clear();
        }
        schemas.add(JsonSchemaFactory.getInstance(VersionFlag.valueOf(parts[0])).getSchema(parts[1]));
        isNew = true;
        continue;
      }
      isNew = false;
      out.println(said(schemas, Base64.getDecoder().decode(parts[1])));
    }
    out.flush();
  }

  private static String said(List<JsonSchema> schemas, byte[] data) throws IOException {
    JsonNode value;
    try {
      value = JSON.readTree(data);
    } catch (JsonProcessingException error) {
      return "!" + oneLine(error.getOriginalMessage());
    } catch (IOException error) { // bytes that are no text
      return "!" + oneLine(error.getMessage());
    }
    if (value.isMissingNode()) {
      return "!nothing";
    }
    List<String> said = new ArrayList<>();
    for (JsonSchema schema : schemas) {
      said.add(whyNot(schema, value));
    }
    said.add(JSON.writeValueAsString(value));
    return String.join("\t", said);
  }

  private static String whyNot(JsonSchema schema, JsonNode value) {
    Set<ValidationMessage> messages;
    try {
      messages = schema.validate(value);
    } catch (ArithmeticException | NumberFormatException error) { // multipleOf computes with doubles
      return oneLine("not computed: " + error.getMessage());
    }
    return messages.isEmpty() ? "" : oneLine(messages.iterator().next().getMessage());
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\s+", " ");
  }
}
