import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { aFolder } from "#test/support/source/folder.ts";
import { bareEnv, ConfigError, describeConfig, readConfig } from "./config.ts";
import { SETTINGS, type Setting } from "./settings.ts";

const settings: readonly Setting<unknown>[] = Object.values(SETTINGS);

function problemsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
  return [];
}

test("an empty environment gives the defaults, frozen", () => {
  const config = readConfig({});

  assert.equal(config.databaseUrl, undefined);
  assert.equal(config.port, 8080);
  assert.equal(config.host, "127.0.0.1");
  assert.equal(config.dataDir, resolve(".data"));
  assert.deepEqual(config.roles, ["api", "worker", "media"]);
  assert.equal(config.poweredBy, "Parley");
  assert.equal(config.complianceProfile, "strict");
  assert.equal(config.simulatorLostReplyRate, 0);
  assert.ok(Object.isFrozen(config) && Object.isFrozen(config.roles));
});

test("values are parsed, and an empty value counts as unset", () => {
  const config = readConfig({
    PORT: "",
    PARLEY_ROLES: "worker, worker",
    PARLEY_BASE_URL: "https://sms.example.com/",
    PARLEY_SIMULATOR_RATE: "2.5",
    PARLEY_LLM_BASE_URL: "http://127.0.0.1:11434/v1",
    PARLEY_LLM_MODEL: "small",
  });

  assert.equal(config.port, 8080);
  assert.deepEqual(config.roles, ["worker"]);
  assert.equal(config.baseUrl, "https://sms.example.com");
  assert.equal(config.simulatorRate, 2.5);
  assert.equal(config.llmBaseUrl, "http://127.0.0.1:11434/v1");
});

test("trusted proxies are addresses and networks, never a number or everybody", () => {
  const of = (text: string) => readConfig({ PARLEY_TRUSTED_PROXIES: text }).trustedProxies;

  assert.equal(of(""), undefined);
  assert.deepEqual(of("10.0.0.0/8, ::1,fd00::/8"), ["10.0.0.0/8", "::1", "fd00::/8"]);
  for (const wrong of [
    "0",
    "2",
    "true",
    "all",
    "10.0.0.0/33",
    "10.0.0.0/8/8",
    "10.0.0/8",
    "::1/129",
    "a.example",
    "10.0.0.1,",
  ]) {
    assert.match(problemsOf({ PARLEY_TRUSTED_PROXIES: wrong })[0] ?? wrong, /^PARLEY_TRUSTED_PROXIES must be/);
  }
});

test("all problems are reported at once, each by the setting's name", () => {
  assert.deepEqual(
    problemsOf({
      DATABASE_URL: "mysql://db",
      PORT: "80 80",
      PARLEY_ROLES: "api,wroker",
      PARLEY_SECRET_KEY: "short",
      PARLEY_BOOTSTRAP_API_KEY: "sk_live_1",
      PARLEY_SIMULATOR_LOST_REPLY_RATE: "1.5",
      PARLEY_BASE_URL: "https://user:word@example.com",
      PARLEY_LLM_BASE_URL: "http://127.0.0.1/v1",
    }),
    [
      "DATABASE_URL must be a postgres:// address",
      "PORT must be a whole number from 0 to 65535",
      "PARLEY_BASE_URL must be an http:// or https:// address without credentials, query or fragment",
      "PARLEY_SECRET_KEY must be at least 32 characters without spaces",
      "PARLEY_BOOTSTRAP_API_KEY must be a key of the form pk_test_... or pk_live_..., with 20 to 200 letters, digits, - and _ that nobody can guess",
      "PARLEY_ROLES must be one of api, worker, media",
      "PARLEY_SIMULATOR_LOST_REPLY_RATE must be a number from 0 to 1",
      "PARLEY_LLM_MODEL is needed with PARLEY_LLM_BASE_URL",
    ],
  );
});

test("a name that nothing reads is a problem, with the name that was probably meant", () => {
  assert.deepEqual(problemsOf({ PARLEY_ROLE: "api", PARLEY_UNHEARD_OF: "1" }), [
    "PARLEY_ROLE is not a setting; did you mean PARLEY_ROLES?",
    "PARLEY_UNHEARD_OF is not a setting",
  ]);
});

test("what Kubernetes and the test rings put into the environment is let pass, a wrong PARLEY_PORT is not", () => {
  assert.deepEqual(
    problemsOf({
      PARLEY_TEST_ADMIN_URL: "postgres://127.0.0.1/postgres",
      PARLEY_SERVICE_HOST: "10.0.0.1",
      PARLEY_PORT: "tcp://10.0.0.1:80",
      PARLEY_PORT_80_TCP_ADDR: "10.0.0.1",
    }),
    [],
  );
  assert.equal(problemsOf({ PARLEY_PORT: "8080" }).length, 1);
});

test("a model or a key without an endpoint is a mistake, not a wish for the offline model", () => {
  assert.deepEqual(problemsOf({ PARLEY_LLM_MODEL: "small", PARLEY_LLM_API_KEY: "k" }), [
    "PARLEY_LLM_MODEL has no effect without PARLEY_LLM_BASE_URL",
    "PARLEY_LLM_API_KEY has no effect without PARLEY_LLM_BASE_URL",
  ]);
});

test("a second model needs its own endpoint and model, and a first one", () => {
  const first = { PARLEY_LLM_BASE_URL: "http://127.0.0.1/v1", PARLEY_LLM_MODEL: "small" };
  const second = { PARLEY_LLM_FALLBACK_BASE_URL: "http://127.0.0.1:1/v1", PARLEY_LLM_FALLBACK_MODEL: "large" };
  assert.deepEqual(problemsOf({ ...first, ...second, PARLEY_LLM_FALLBACK_API_KEY: "k" }), []);
  assert.deepEqual(problemsOf(second), ["PARLEY_LLM_FALLBACK_BASE_URL has no effect without PARLEY_LLM_BASE_URL"]);
  assert.deepEqual(problemsOf({ ...first, PARLEY_LLM_FALLBACK_BASE_URL: "http://127.0.0.1:1/v1" }), [
    "PARLEY_LLM_FALLBACK_MODEL is needed with PARLEY_LLM_FALLBACK_BASE_URL",
  ]);
  assert.deepEqual(problemsOf({ ...first, PARLEY_LLM_FALLBACK_MODEL: "m", PARLEY_LLM_FALLBACK_API_KEY: "k" }), [
    "PARLEY_LLM_FALLBACK_MODEL has no effect without PARLEY_LLM_FALLBACK_BASE_URL",
    "PARLEY_LLM_FALLBACK_API_KEY has no effect without PARLEY_LLM_FALLBACK_BASE_URL",
  ]);
});

test("every secret can come from a file, but not from both places, nor from a file that is not there", () => {
  const folder = aFolder("config");
  const path = join(folder, "secret");
  const secretKey = "0123456789abcdef0123456789abcdef";
  writeFileSync(path, `${secretKey}\n`);

  assert.equal(readConfig({ PARLEY_SECRET_KEY_FILE: path }).secretKey, secretKey);
  assert.deepEqual(problemsOf({ PARLEY_SECRET_KEY_FILE: path, PARLEY_SECRET_KEY: secretKey }), [
    "PARLEY_SECRET_KEY and PARLEY_SECRET_KEY_FILE are both set; keep one",
  ]);
  assert.match(problemsOf({ DATABASE_URL_FILE: join(folder, "none") })[0]!, /^DATABASE_URL cannot be read .*ENOENT/);
  assert.deepEqual(problemsOf({ PARLEY_HOST_FILE: path }), ["PARLEY_HOST_FILE is not a setting"]);
});

test("the printed configuration shows every setting and no secret", () => {
  const printed = describeConfig(
    readConfig({
      DATABASE_URL: "postgres://u:hidden@db/parley",
      PARLEY_BOOTSTRAP_API_KEY: "pk_test_hidden_0123456789abcdef",
      PORT: "0",
    }),
  );

  assert.ok(!printed.includes("hidden"));
  assert.match(printed, /^DATABASE_URL=\*\*\*$/m);
  assert.match(printed, /^PORT=0$/m);
  assert.match(printed, /^PARLEY_ROLES=api,worker,media$/m);
  assert.match(printed, /^# PARLEY_SECRET_KEY=$/m);
  for (const { name } of settings) assert.match(printed, new RegExp(`^(# )?${name}=`, "m"));
});

test("docs/configuration.md lists exactly these settings, defaults and descriptions", () => {
  const documented = readText("docs/configuration.md")
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  const expected = settings.map(({ name, default: text, secret, description }) => {
    return `| \`${name}\`${secret ? " (secret)" : ""} | ${text === undefined ? "unset" : `\`${text}\``} | ${description} |`;
  });
  assert.deepEqual(documented, expected);
});

test(".env.example holds exactly these settings, commented out, with their descriptions", () => {
  const [, ...blocks] = readText(".env.example").trimEnd().split("\n\n");
  const expected = settings.map(({ name, default: text, description }) => `# ${description}\n#${name}=${text ?? ""}`);
  assert.deepEqual(blocks, expected);
});

test("a process that is to reach nothing of the service gets no setting but those that it is given", () => {
  const trunks = SETTINGS.sipTrunks.name;
  const env = { PATH: "/bin", DATABASE_URL: "postgres://x/y", DATABASE_URL_FILE: "/a", [trunks]: "[]", PORT: "80" };
  assert.deepEqual(bareEnv({ PORT: "0" }, env), { PATH: "/bin", PORT: "0" });
});

function readText(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
}
