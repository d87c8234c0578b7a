// A receiver of payouts: the part of your balance system that Hongbao calls. Java 17, no packages.
//
//   SECRETS="whsec_new whsec_old" JOURNAL=payouts.ndjson PORT=8090 java Receiver.java
//
// PUT /payouts/{id} pays, GET /payouts/{id} answers what became of it, GET /statements/{day} is the
// file of a day (UTC). Three rules keep the money safe:
//
//   1. A decision is on the disk before it is answered, and it never changes.
//   2. The same id gets the same answer. With another user, amount or currency it gets `conflict`.
//   3. A code of the closed list (`user-unknown`, …) means: not paid, and never will be.
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import static java.nio.charset.StandardCharsets.UTF_8;

public class Receiver {
  static final int TOLERANCE_SECONDS = 300;
  static final int BODY_BYTES_MAX = 65_536;
  static final List<String> CONTENT = List.of("payoutId", "userId", "amount", "currency");
  static final List<String> COLUMNS = List.of("payoutId", "userId", "amount", "state", "at");
  static final Pattern ROUTE = Pattern.compile("/(payouts|statements)/([0-9A-Za-z-]{1,32})");

  record Answer(int status, String type, String text) {}

  final String currency = setting("CURRENCY", "CNY");
  final List<byte[]> keys;
  final FileChannel journal;
  final Map<String, Map<String, String>> payouts = new LinkedHashMap<>();

  // Yours: look the user up. Here the beginning of an id decides.
  String refusalOf(Map<String, String> order) {
    String amount = order.get("amount");
    if (order.get("userId").startsWith("unknown-")) return "user-unknown";
    if (order.get("userId").startsWith("closed-")) return "user-closed";
    if (!order.get("currency").equals(currency)) return "currency";
    if (!amount.matches("(0|[1-9][0-9]{0,14})(\\.[0-9]{1,3})?") || amount.matches("[0.]+")) return "amount";
    return null;
  }

  // Yours: one transaction of your database, which adds to the balance and inserts the payout under
  // its id as primary key. Here a line of the journal is both. If it cannot be written, this program
  // ends, and reads at its next start what is really on the disk.
  Map<String, String> decide(Map<String, String> order) {
    var payout = new LinkedHashMap<String, String>();
    String code = refusalOf(order);
    payout.put("state", code == null ? "paid" : "refused");
    payout.put(code == null ? "externalId" : "code", code == null ? UUID.randomUUID().toString() : code);
    for (String name : CONTENT) payout.put(name, order.get(name));
    payout.put("at", Instant.now().toString());
    try {
      ByteBuffer line = ByteBuffer.wrap((json(payout) + "\n").getBytes(UTF_8));
      while (line.hasRemaining()) journal.write(line);
      journal.force(true);
    } catch (IOException error) {
      Runtime.getRuntime().halt(1);
    }
    payouts.put(payout.get("payoutId"), payout);
    return payout;
  }

  Receiver(String secrets, Path file) throws IOException {
    if (!secrets.matches("whsec_\\S+( whsec_\\S+)*")) throw new IOException("SECRETS: one or two of whsec_…");
    keys = Stream.of(secrets.split(" ")).map(one -> Base64.getDecoder().decode(one.substring("whsec_".length()))).toList();
    journal = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    ByteBuffer bytes = ByteBuffer.allocate((int) journal.size());
    while (bytes.hasRemaining()) journal.read(bytes);
    String text = new String(bytes.array(), UTF_8);
    String whole = text.substring(0, text.lastIndexOf('\n') + 1);
    journal.truncate(whole.getBytes(UTF_8).length); // A crash may leave half a line behind. It was never answered.
    journal.position(journal.size());
    whole.lines().map(line -> new Json(line).texts()).forEach(payout -> payouts.put(payout.get("payoutId"), payout));
  }

  // https://www.standardwebhooks.com: any of the signatures, by any of our secrets.
  boolean isSigned(Headers headers, byte[] body) throws GeneralSecurityException {
    String at = Objects.requireNonNullElse(headers.getFirst("webhook-timestamp"), "");
    if (!at.matches("[0-9]{1,12}")) return false;
    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(at)) > TOLERANCE_SECONDS) return false;
    for (byte[] key : keys) {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update((headers.getFirst("webhook-id") + "." + at + ".").getBytes(UTF_8));
      byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(UTF_8);
      for (String given : Objects.requireNonNullElse(headers.getFirst("webhook-signature"), "").split(" "))
        if (MessageDigest.isEqual(given.getBytes(UTF_8), expected)) return true;
    }
    return false;
  }

  synchronized Answer answerTo(String method, String path, Headers headers, byte[] body) throws GeneralSecurityException {
    var route = ROUTE.matcher(path);
    if (!route.matches()) return answer(404, Map.of());
    boolean ofPayout = route.group(1).equals("payouts");
    String id = route.group(2);
    if (!id.equals(headers.getFirst("webhook-id")) || !isSigned(headers, body))
      return answer(401, Map.of("code", "signature"));
    Map<String, String> known = payouts.get(id);
    if (method.equals("GET") && !ofPayout) return new Answer(200, "text/csv", statementOf(id));
    if (method.equals("GET")) return known == null ? answer(404, Map.of("code", "not-found")) : show(known);
    if (!method.equals("PUT") || !ofPayout) return answer(405, Map.of());

    Map<String, String> order = new Json(new String(body, UTF_8)).texts();
    if (order == null || !order.keySet().containsAll(CONTENT) || !id.equals(order.get("payoutId")))
      return answer(400, Map.of("code", "malformed"));
    if (known == null) return show(decide(order));
    boolean same = CONTENT.stream().allMatch(name -> known.get(name).equals(order.get(name)));
    return same ? show(known) : answer(409, Map.of("code", "conflict"));
  }

  Answer show(Map<String, String> payout) {
    var shown = new LinkedHashMap<>(payout);
    shown.remove("at");
    return answer(payout.get("state").equals("paid") ? 200 : 422, shown);
  }

  Answer answer(int status, Map<String, String> body) {
    return new Answer(status, "application/json", json(body));
  }

  String statementOf(String day) {
    var rows = payouts.values().stream().filter(payout -> payout.get("at").startsWith(day + "T"));
    var lines = rows.map(payout -> COLUMNS.stream().map(name -> cell(payout.get(name))).collect(Collectors.joining(",")));
    return Stream.concat(Stream.of(String.join(",", COLUMNS)), lines).map(line -> line + "\n").collect(Collectors.joining());
  }

  static String cell(String text) {
    return text.matches("(?s).*[\",\n].*") ? '"' + text.replace("\"", "\"\"") + '"' : text;
  }

  void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readNBytes(BODY_BYTES_MAX + 1);
      String length = Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("content-length"), "0");
      if (!length.equals(String.valueOf(body.length))) return; // A request that is cut off, or too long, has no effect.
      Answer answer = answerTo(exchange.getRequestMethod(), exchange.getRequestURI().getRawPath(), exchange.getRequestHeaders(), body);
      byte[] bytes = answer.text().getBytes(UTF_8);
      exchange.getResponseHeaders().set("content-type", answer.type() + "; charset=utf-8");
      exchange.sendResponseHeaders(answer.status(), bytes.length);
      exchange.getResponseBody().write(bytes);
    } catch (GeneralSecurityException error) {
      throw new IOException(error);
    }
  }

  public static void main(String[] args) throws IOException {
    System.setProperty("sun.net.httpserver.nodelay", "true"); // An answer does not wait for an acknowledgement.
    var receiver = new Receiver(setting("SECRETS", ""), Path.of(setting("JOURNAL", "payouts.ndjson")));
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(setting("PORT", "8090"))), 128);
    server.setExecutor(Executors.newFixedThreadPool(32));
    server.createContext("/", receiver::serve);
    server.start();
  }

  static String setting(String name, String otherwise) {
    return Objects.requireNonNullElse(System.getenv(name), otherwise);
  }

  // JSON, which Java has no library for. Yours has one.

  static String json(Map<String, String> object) {
    return object.entrySet().stream().map(entry -> quoted(entry.getKey()) + ":" + quoted(entry.getValue())).collect(Collectors.joining(",", "{", "}"));
  }

  static String quoted(String text) {
    var quoted = new StringBuilder("\"");
    for (char c : text.toCharArray()) quoted.append(c == '"' || c == '\\' ? "\\" + c : c < ' ' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
    return quoted.append('"').toString();
  }

  /** Reads one object, and keeps its fields that are texts. */
  static class Json {
    static final Pattern TOKEN = Pattern.compile("\\G\\s*(\"(?:[^\"\\\\]|\\\\.)*\"|[{}\\[\\]:,]|[^\\s{}\\[\\]:,\"]+)\\s*");
    final List<String> tokens;
    int next = 0;

    Json(String text) {
      var matcher = TOKEN.matcher(text);
      tokens = matcher.results().map(found -> found.group(1)).toList();
    }

    /** Returns null for anything else. */
    Map<String, String> texts() {
      try {
        var texts = new LinkedHashMap<String, String>();
        take("{");
        while (!tokens.get(next).equals("}")) {
          String name = text(tokens.get(next++));
          take(":");
          String value = tokens.get(next);
          skip();
          if (value.startsWith("\"")) texts.put(name, text(value));
          if (tokens.get(next).equals(",")) next++;
        }
        return texts;
      } catch (IndexOutOfBoundsException | IllegalStateException malformed) {
        return null;
      }
    }

    void take(String token) {
      if (!tokens.get(next++).equals(token)) throw new IllegalStateException();
    }

    void skip() {
      int depth = 0;
      do {
        String token = tokens.get(next++);
        if (token.equals("{") || token.equals("[")) depth++;
        if (token.equals("}") || token.equals("]")) depth--;
      } while (depth > 0);
    }

    static String text(String token) {
      var escapes = Pattern.compile("\\\\(u([0-9a-fA-F]{4})|.)").matcher(token.substring(1, token.length() - 1));
      return escapes.replaceAll(found -> java.util.regex.Matcher.quoteReplacement(switch (found.group(1).charAt(0)) {
        case 'u' -> String.valueOf((char) Integer.parseInt(found.group(2), 16));
        case 'n' -> "\n";
        case 't' -> "\t";
        case 'r' -> "\r";
        case 'b' -> "\b";
        case 'f' -> "\f";
        default -> found.group(1);
      }));
    }
  }
}
