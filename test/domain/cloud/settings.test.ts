import { expect, test } from "vitest";
import { CloudSettings, secretName } from "../../../src/domain/cloud/settings.ts";

test.each([
  ["OPENAI_API_KEY", "OpenaiApiKey"],
  ["HF_TOKEN", "HfToken"],
  ["my_Own_2", "MyOwn2"],
  ["__A__B", "AB"],
])("the secret of %s is %s", (variable, name) => {
  expect(secretName(variable)).toBe(name);
});

test("a function reads only what it picks", () => {
  const settings = CloudSettings.pick({ TABLE_NAME: true, SECRET_VARIABLES: true });
  const given = { TABLE_NAME: "runs", SECRET_VARIABLES: "A_KEY,B_KEY", PATH: "/bin" };
  expect(settings.parse(given)).toEqual({ TABLE_NAME: "runs", SECRET_VARIABLES: ["A_KEY", "B_KEY"] });
  expect(settings.parse({ ...given, SECRET_VARIABLES: "" }).SECRET_VARIABLES).toEqual([]);
});

test.each([
  ["TABLE_NAME", { TABLE_NAME: "" }],
  ["TENANT_ISOLATION", { TENANT_ISOLATION: "per-day" }],
] as const)("a bad %s is refused", (name, given) => {
  expect(CloudSettings.partial().safeParse(given).error?.issues[0]?.path).toEqual([name]);
});
