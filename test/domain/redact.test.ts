import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Redactor } from "../../src/domain/redact.ts";

const KEY = "my-own-key-4711-abcdefgh";
const PASSWORD = 'pä$$"w\\rt & more';
const redactor = new Redactor([
  { name: "MY_KEY", value: KEY },
  { name: "DB_PASSWORD", value: PASSWORD },
  { name: "SHORT_KEY", value: "seven77" },
]);

const base64 = (text: string, kind: "base64" | "base64url" = "base64") => Buffer.from(text).toString(kind);
const spell = (text: string) =>
  text.replaceAll(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

describe("known values", () => {
  test.each([
    ["as they are", `the key is ${KEY}.`, "the key is [redacted MY_KEY]."],
    ["several times", `${KEY}${KEY}`, "[redacted MY_KEY][redacted MY_KEY]"],
    ["inside a word", `x${KEY}x`, "x[redacted MY_KEY]x"],
    ["with signs that a pattern would take for its own", PASSWORD, "[redacted DB_PASSWORD]"],
    ["inside JSON", JSON.stringify({ password: PASSWORD }), '{"password":"[redacted DB_PASSWORD]"}'],
    ["inside a URL", `?p=${encodeURIComponent(PASSWORD)}&q`, "?p=[redacted DB_PASSWORD]&q"],
    ["cut after half of it", `${KEY.slice(0, 15)}…`, "[redacted MY_KEY]…"],
    ["as base64", base64(KEY), "[redacted MY_KEY]"],
    ["inside of base64", base64(`{"k":"${KEY}"}`), /^eyJrIjoi.?\[redacted MY_KEY\].{0,4}$/],
    ["inside of other base64", base64(`{"ke":"${KEY}", 1}`), /^eyJrZSI6I.{0,2}\[redacted MY_KEY\].{0,8}$/],
    ["as base64 for URLs", base64(`a?~${PASSWORD}`, "base64url"), /^YT9-\[redacted DB_PASSWORD\].?$/],
    ["as hex", Buffer.from(KEY).toString("hex"), "[redacted MY_KEY]"],
    ["as large hex", Buffer.from(PASSWORD).toString("hex").toUpperCase(), "[redacted DB_PASSWORD]"],
    ["spelled out", spell(KEY), "[redacted MY_KEY]"],
    [
      "spelled out in JSON, large",
      JSON.stringify(spell(PASSWORD).toUpperCase().replaceAll("U", "u")),
      '"[redacted DB_PASSWORD]"',
    ],
    ["inside of JSON in JSON", JSON.stringify(JSON.stringify(PASSWORD)), '"\\"[redacted DB_PASSWORD]\\""'],
    [
      "inside of JSON in ASCII",
      PASSWORD.replace("ä", "\\u00e4").replace(/["\\](?!u)/g, "\\$&"),
      "[redacted DB_PASSWORD]",
    ],
    ["in two halves", `${KEY.slice(0, 12)}\n${KEY.slice(12)}`, "[redacted MY_KEY]\n[redacted MY_KEY]"],
    ["but for its beginning", KEY.slice(4), "wn-key-4[redacted MY_KEY]"],
    ["cut by an ellipsis of dots", `${KEY.slice(0, 20)}... (40 more)`, "[redacted MY_KEY] (40 more)"],
  ])("go, %s", (_how, text, redacted) => {
    expect(redactor.values(text)).toMatch(redacted);
    expect(redactor.text(text)).toMatch(redacted);
    if (typeof redacted === "string") expect(redactor.text(text)).toBe(redacted);
  });

  test.each([
    ["a value that is too short to tell from a word", "seven77"],
    ["less than half of a value", KEY.slice(0, 11)],
    ["less than half of the end of a value", KEY.slice(13)],
  ])("%s stays", (_what, text) => {
    expect(redactor.text(text)).toBe(text);
  });

  test("the longer of two that begin alike goes whole", () => {
    const two = new Redactor([
      { name: "SHORTER", value: "abcdefgh" },
      { name: "LONGER", value: "abcdefgh-and-more" },
    ]);
    expect(two.text("abcdefgh-and-more abcdefgh")).toBe("[redacted LONGER] [redacted SHORTER]");
  });

  test("without any secret nothing is known", () => {
    expect(new Redactor([]).values(`${KEY} and text`)).toBe(`${KEY} and text`);
  });
});

describe("shapes", () => {
  const A40 = "aB3".repeat(14);
  const AWS = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
  test.each([
    ["OpenAI", `sk-${A40}`],
    ["OpenAI project", `sk-proj-${A40}`],
    ["Anthropic", `sk-ant-api03-${A40}-_AA`],
    ["Google", `AIza${"aB3-".repeat(8)}xyz`],
    ["Hugging Face", `hf_${A40}`],
    ["AWS", "AKIAIOSFODNN7EXAMPLE"],
    ["AWS, for a session", "ASIAIOSFODNN7EXAMPLE"],
    ["GitHub", `ghp_${A40}`],
    ["GitHub, fine-grained", `github_pat_${A40}`],
    ["Slack", "xoxb-1234567890-abcdef"],
    ["Google, for OAuth", `ya29.${A40}`],
    ["a client of Google's", "GOCSPX-aB3aB3aB3aB3aB3aB3aB3aB3aB3a"],
    ["Google, to refresh", `1//0g${A40}`],
    ["PEM", `-----BEGIN RSA PRIVATE KEY-----\n${`${A40}+/\n`.repeat(30)}-----END RSA PRIVATE KEY-----`],
    ["PEM in JSON", `-----BEGIN PRIVATE KEY-----\\n${`${A40}==\\n`.repeat(9)}-----END PRIVATE KEY-----`],
    ["a JSON web token", `eyJ${A40}.eyJ${A40}.${A40}`],
  ])("a key of %s goes, wherever it stands", (_whose, key) => {
    for (const [before, after] of [
      ["", ""],
      ["key=", "&x"],
      ['{"key":"', '"}'],
      ["(", ")."],
      ["a\n", "\nb"],
    ]) {
      expect(redactor.text(`${before}${key}${after}`)).toBe(`${before}[redacted]${after}`);
    }
  });

  test.each([
    ["Authorization: Bearer abc", "Authorization: Bearer [redacted]"],
    [`Authorization: Bearer ${KEY}`, "Authorization: Bearer [redacted MY_KEY]"],
    ["authorization: Basic dXNlcjpwYXNz", "authorization: Basic [redacted]"],
    ["'x-api-key': 'abcdef'", "'x-api-key': '[redacted]'"],
    ['{"x-goog-api-key":"abcdef"}', '{"x-goog-api-key":"[redacted]"}'],
    ['"{\\"Authorization\\":\\"Bearer abcdef\\"}"', '"{\\"Authorization\\":\\"Bearer [redacted]\\"}"'],
    ["curl -H 'Authorization: token abcdef1'", "curl -H 'Authorization: token [redacted]'"],
    [`AWS_SECRET_ACCESS_KEY=${AWS}`, "AWS_SECRET_ACCESS_KEY=[redacted]"],
    [`{"SecretAccessKey": "${AWS}"}`, '{"SecretAccessKey": "[redacted]"}'],
    ["--password=hunter2 x", "--password=[redacted] x"],
    ["?user=me&password=hunter2&x=1", "?user=me&password=[redacted]&x=1"],
    ["DB_PASSWORD='hunter 2'", "DB_PASSWORD='[redacted] 2'"],
    [
      "https://hooks.slack.com/services/T00000000/B00000000/aB3aB3aB3aB3aB3aB3aB3aB3",
      "https://hooks.slack.com/services/[redacted]",
    ],
    [`-----BEGIN EC PRIVATE KEY-----\n${A40}\n- and so on`, "[redacted]- and so on"],
    ["sent Bearer abcdefghijklmnopqrst.", "sent Bearer [redacted]"],
    ["postgres://me:hunter2@db/x", "postgres://me:[redacted]@db/x"],
  ])("%s becomes %s", (text, redacted) => {
    expect(redactor.text(text)).toBe(redacted);
  });

  test.each([
    "The bearer of this letter is well.",
    "pip install sk-learn-contrib-something-long",
    "task-0123456789abcdef0123 is done",
    "see http://localhost:8080/a@b and http://me@host",
    "AKIAIOSFODNN7EXAMPLEANDMORE",
    "password=$PASSWORD, password=<yours>, password=*** and a password: none",
    "secret_key: a key that is not there",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "The capital of Peru is Lima.",
  ])("%s stays", (text) => {
    expect(redactor.text(text)).toBe(text);
  });

  test("known values alone leave shapes as they are", () => {
    expect(redactor.values(`sk-${A40} ${KEY}`)).toBe(`sk-${A40} [redacted MY_KEY]`);
  });
});

describe("values of JSON", () => {
  const value = {
    text: `a ${KEY}`,
    list: [KEY, 1, null, true, { deep: "Bearer abcdefghijklmnopqrst" }],
    headers: { Authorization: "abc", "X-Api-Key": ["abc"], accept: "abc" },
    [KEY]: 1,
  };

  test("known values go from every text and every name", () => {
    expect(redactor.valuesIn(value)).toEqual({
      ...{ ...value, [KEY]: undefined },
      text: "a [redacted MY_KEY]",
      list: ["[redacted MY_KEY]", 1, null, true, { deep: "Bearer abcdefghijklmnopqrst" }],
      "[redacted MY_KEY]": 1,
    });
  });

  test("headers that hold keys go, whatever is in them", () => {
    expect(redactor.textIn(value)).toMatchObject({
      list: ["[redacted MY_KEY]", 1, null, true, { deep: "Bearer [redacted]" }],
      headers: { Authorization: "[redacted]", "X-Api-Key": ["[redacted]"], accept: "abc" },
    });
  });

  test("what holds no secret is the same", () => {
    const harmless = fc.jsonValue({ depthSize: "medium" });
    fc.assert(
      fc.property(harmless, (some) => {
        expect(redactor.valuesIn(some as never)).toEqual(some);
      }),
    );
  });
});

describe("text in pieces", () => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(
        KEY,
        PASSWORD,
        KEY.slice(0, 14),
        "sk-",
        "aB3aB3aB3aB3aB3aB3aB3",
        "Authorization:",
        " Bearer ",
      ),
      fc.constantFrom("hf_", "eyJ", ".", "-", "\n", " ", "task-", "http://me:pw@", "x".repeat(5_000)),
      fc.string({ maxLength: 20 }),
      fc.integer({ min: 1, max: 9_000 }).map((length) => "word ".repeat(length).slice(0, length)),
    ),
    { maxLength: 30 },
  );

  test("however a text is cut, the same is redacted", () => {
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(), { maxLength: 12 }), (parts, places) => {
        const whole = parts.join("");
        const cuts = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b);
        const stream = redactor.stream();
        const out = [...cuts, whole.length].map((cut, at) =>
          stream.push(whole.slice(cuts[at - 1] ?? 0, cut)),
        );
        expect(out.join("") + stream.rest()).toBe(redactor.text(whole));
      }),
      { numRuns: 300 },
    );
  });

  test("what is held back can be looked at without being given out", () => {
    const stream = redactor.stream();
    expect(stream.push(KEY.slice(0, 5))).toBe("");
    expect(stream.rest()).toBe(KEY.slice(0, 5));
    expect(stream.push(KEY.slice(5))).toBe("");
    expect(stream.rest()).toBe("[redacted MY_KEY]");
  });

  test("little is held back, however much comes", () => {
    const stream = redactor.stream();
    let given = 0;
    for (let line = 0; line < 20_000; line++) given += stream.push(`line ${line} of many\n`).length;
    expect(stream.rest().length).toBeLessThan(20_000);
    expect(given).toBeGreaterThan(300_000);
  });
});
