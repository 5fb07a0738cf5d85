import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Says whether JSON values are valid by JSON Schemas.
 *
 * <p>A line of input: the draft as VersionFlag names it and a schema, or nothing and a value, with a tab between; values
 * are asked of all schemas after the last value before them. A line of output for each value: for each of these schemas
 * an empty text if the value is valid, else why it is not, with tabs between.
 */
final class JsonSchemaJudge {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

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
      JsonNode value = JSON.readTree(parts[1]);
      List<String> said = new ArrayList<>();
      for (JsonSchema schema : schemas) {
        Set<ValidationMessage> messages = schema.validate(value);
        said.add(messages.isEmpty() ? "" : messages.iterator().next().getMessage().replaceAll("\\s+", " "));
      }
      out.println(String.join("\t", said));
    }
    out.flush();
  }
}
