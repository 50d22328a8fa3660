import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { SETTINGS, type Setting } from "#app/settings/settings.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { readText, root } from "#test/support/source/source.ts";

type Json = Record<string, unknown>;
type Service = {
  image: string;
  command?: string[];
  environment?: Record<string, string | number>;
  read_only?: boolean;
  stop_grace_period?: string;
  healthcheck?: { disable?: boolean };
};
type Compose = { services: Record<string, Service>; secrets: Record<string, { file: string }>; volumes: Json };

const settings = Object.values(SETTINGS) as Setting<unknown>[];
const names = new Set(settings.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name])));
const settingOf = (name: string) => settings.find((setting) => setting.name === name)!;

const COMPOSE = globSync("deploy/compose/**/*.yaml", { cwd: root });
const UNITS = globSync("deploy/systemd/*.service", { cwd: root });
const TEMPLATES = globSync("deploy/helm/parley/templates/*", { cwd: root });
const DOCKERFILE = readText("deploy/docker/Dockerfile");

/** Those of cli.ts that stay. */
const COMMANDS = ["start", "api", "worker", "media"];
/** Until a process has stopped it takes at most this long, besides what its settings add: docs/deployment.md has the sum. */
const STOP_SECONDS: Readonly<Record<string, number>> = { start: 120, api: 50, worker: 50, media: 50 };

const isOurs = ({ image }: Service) => image.startsWith("${PARLEY_IMAGE");

test("every setting that a package names is one of Parley's", () => {
  const files = globSync("deploy/**/*", { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const NOT_SETTINGS = /^PARLEY_IMAGE$/;
  const unknown = files.flatMap((file) =>
    [...readText(file.slice(root.length)).matchAll(/\bPARLEY_[A-Z_]*[A-Z]\b/g)]
      .map(([name]) => name)
      .filter((name) => !names.has(name) && !NOT_SETTINGS.test(name))
      .map((name) => `${basename(file)}: ${name}`),
  );
  assert.deepEqual(unknown, []);
  assert.ok(files.length > 20, "the packages are looked at");
});

test("values that compose files, units and the image give settings are taken by them", () => {
  const pairs = [
    ...COMPOSE.flatMap((file) =>
      Object.values((parse(readText(file), { merge: true }) as Compose).services)
        .filter(isOurs)
        .flatMap(({ environment = {} }) => Object.entries(environment).map(([name, value]) => [name, String(value)])),
    ),
    ...UNITS.flatMap((file) =>
      [...readText(file).matchAll(/^Environment=(?!MALLOC_)(\w+)=(.*)$/gm)].map(([, a, b]) => [a!, b!]),
    ),
    ...[...DOCKERFILE.matchAll(/^ +(PORT|PARLEY_\w+)=(\S+)/gm)].map(([, name, value]) => [name!, value!]),
  ];
  assert.ok(pairs.length > 20, String(pairs.length));
  for (const [name, value] of pairs as [string, string][]) {
    assert.ok(names.has(name), `${name} is a setting`);
    if (value.includes("$") || name.endsWith("_FILE")) continue;
    assert.doesNotThrow(() => settingOf(name).parse(value), `${name}=${value}`);
  }
});

test("every way to start Parley gives Node the same bound on its young generation, and the allocator what it gives back", () => {
  const BOUND = / --max-semi-space-size=(\d+)(?= |$)/m;
  const { scripts } = JSON.parse(readText("package.json")) as { scripts: Record<string, string> };
  const [command] = readText("bin/parley.ts").split("\n", 1);
  const image = /^ENTRYPOINT (.*)$/m.exec(DOCKERFILE)![1]!.replaceAll(/[",]/g, "");
  const units = UNITS.map((file) => /^ExecStart=(.*)$/m.exec(readText(file))![1]!);
  const starts = [scripts.start!, scripts.parley!, command!, image, ...units];
  assert.deepEqual(
    starts.map((start) => BOUND.exec(start)?.[1]),
    starts.map(() => "8"),
  );
  assert.ok(readText("bench/service.ts").includes('"--max-semi-space-size=8"'), "what is measured has it too");
  const allocating = ["package.json", "bin/parley.ts", "deploy/docker/Dockerfile", ...UNITS];
  for (const file of allocating) assert.ok(readText(file).includes("MALLOC_MMAP_THRESHOLD_=1048576"), file);
  assert.ok(readText("bench/service.ts").includes('MALLOC_MMAP_THRESHOLD_: "1048576"'), "and this");
});

test("ports of the packages are those that Parley listens on", () => {
  const port = settingOf("PORT").default!;
  const sip = settingOf("PARLEY_SIP_PORT").default!;
  const rtp = settingOf("PARLEY_RTP_PORTS").default!;
  assert.ok(DOCKERFILE.includes(`EXPOSE ${port}/tcp ${sip}/udp ${sip}/tcp ${rtp}/udp\n`));
  assert.match(DOCKERFILE, new RegExp(`\\bPORT=${port} `));
  const haproxy = readText("deploy/compose/several/haproxy.cfg");
  const servers = [...haproxy.matchAll(/^ {4}server (\S+) (\S+)$/gm)].map(([, name, address]) => [name, address]);
  const several = parse(readText("deploy/compose/several/compose.yaml"), { merge: true }) as Compose;
  const apis = Object.entries(several.services).filter(([, { command }]) => command?.[0] === "api");
  assert.deepEqual(
    servers,
    apis.map(([name]) => [name, `${name}:${port}`]),
  );
  const values = parse(readText("deploy/helm/parley/values.yaml")) as { media: { sipPort: number; rtpPorts: string } };
  assert.deepEqual([String(values.media.sipPort), values.media.rtpPorts], [sip, rtp]);
  assert.ok(readText("deploy/helm/parley/templates/api.yaml").includes(`containerPort: ${port}\n`));
});

test("probes ask what is there, and nobody probes a role that has no port", () => {
  const health = readText("src/http/server/health.ts");
  const probes = [
    ...readText("deploy/helm/parley/templates/api.yaml").matchAll(/path: (\/\w+)/g),
    ...readText("deploy/compose/several/haproxy.cfg").matchAll(/GET (\/\w+)/g),
    ...readText("deploy/docker/healthy.mjs").matchAll(/\}(\/\w+)`/g),
  ].map(([, path]) => path!);
  assert.deepEqual([...new Set(probes)].sort(), ["/healthz", "/readyz"]);
  for (const path of probes) assert.ok(health.includes(`app.get("${path}"`), path);
  for (const role of ["worker", "media"])
    assert.doesNotMatch(readText(`deploy/helm/parley/templates/${role}.yaml`), /Probe:/);
});

test("each of HAProxy's entries leads to a backend that is there once", () => {
  for (const file of ["deploy/compose/several/haproxy.cfg", "deploy/patroni/haproxy.cfg"]) {
    const text = readText(file);
    const named = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name!).sort();
    const backends = named(/^backend (\S+)$/gm);
    assert.deepEqual(named(/^ {4}default_backend (\S+)$/gm), backends, file);
    assert.equal(new Set(backends).size, named(/^frontend (\S+)$/gm).length, file);
  }
});

test("compose files start roles that are there, read-only, and let them end in their own time", () => {
  const seen = COMPOSE.flatMap((file) => {
    const { services } = parse(readText(file), { merge: true }) as Compose;
    return Object.entries(services)
      .filter(([, service]) => isOurs(service))
      .map(([name, { command = ["start"], environment = {}, ...service }]) => {
        const role = command[0]!;
        assert.ok(COMMANDS.includes(role), `${name}: ${role}`);
        assert.equal(service.read_only, true, name);
        const grace = ["CALL", "STREAM", "SHUTDOWN"].reduce(
          (sum, of) => sum + Number(environment[`PARLEY_${of}_GRACE_MS`] ?? 0),
          0,
        );
        const seconds = Number(/^(\d+)s$/.exec(service.stop_grace_period ?? "")?.[1]);
        assert.ok(seconds >= STOP_SECONDS[role]! + grace / 1_000, `${name}: ${seconds} s`);
        const hasApi = role === "api" || role === "start";
        assert.equal(service.healthcheck?.disable ?? false, !hasApi, `${name}: the image's health check asks the API`);
        return role;
      });
  });
  assert.deepEqual([...new Set(seen)].sort(), [...COMMANDS].sort());
});

test("compose files use the volumes and secrets that they name, and no other", () => {
  for (const file of COMPOSE) {
    const text = readText(file);
    const { volumes, secrets } = parse(text, { merge: true }) as Compose;
    for (const name of Object.keys(volumes)) assert.match(text, new RegExp(`["\\[ ]${name}:/`), `${file}: ${name}`);
    for (const name of Object.keys(secrets))
      assert.match(text, new RegExp(`secrets: .*\\b${name}\\b`), `${file}: ${name}`);
  }
});

test("what the image runs is the lockfile's Node, as a user without rights, and nothing is fetched after the build", () => {
  const [, build, image] = DOCKERFILE.split(/^FROM /m);
  const { dependencies, engines } = JSON.parse(readText("package.json")) as Record<string, Record<string, string>>;
  const major = Number.parseInt(dependencies!.node!, 10);
  assert.match(DOCKERFILE, new RegExp(`^ARG BUILD_BASE=\\S+/node:${major}-`, "m"));
  assert.ok(major >= Number(/\d+/.exec(engines!.node!)?.[0]));
  assert.match(image!, /ENTRYPOINT \["\/usr\/bin\/tini", "--", "\/opt\/parley\/node_modules\/node\/bin\/node"/);
  assert.match(image!, /^USER (?!0|root)\d+:\d+$/m);
  assert.doesNotMatch(image!, /^(RUN|ADD) /m);
  assert.match(build!, /slim\.sh/);
  const ids = /^USER (\d+):/m.exec(image!)![1]!;
  assert.ok(readText("deploy/docker/slim.sh").includes(`parley:x:${ids}:${ids}:`));
  assert.ok(readText("deploy/helm/parley/templates/_names.tpl").includes(`runAsUser: ${ids}\n`));
});

test("units start roles that are there, hardened, and let them end in their own time", (t) => {
  const HELD = [
    "NoNewPrivileges=true",
    "ProtectSystem=strict",
    "StateDirectory=parley",
    "User=parley",
    "Restart=always",
  ];
  for (const file of UNITS) {
    const text = readText(file);
    const role = /^ExecStart=\S+ \S+ \S+parley\.ts (\w+)$/m.exec(text)?.[1] ?? "";
    assert.ok(COMMANDS.includes(role), `${file}: ${role}`);
    for (const line of [...HELD, "CapabilityBoundingSet=", "RestartPreventExitStatus=78", "KillMode=mixed"])
      assert.ok(text.split("\n").includes(line), `${file}: ${line}`);
    assert.match(text, /^SystemCallFilter=@system-service$/m);
    const graces = [...text.matchAll(/^Environment=PARLEY_(?:CALL|STREAM|SHUTDOWN)_GRACE_MS=(\d+)$/gm)].map(([, ms]) =>
      Number(ms),
    );
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1]);
    assert.ok(
      seconds * 1_000 >= STOP_SECONDS[role]! * 1_000 + graces.reduce((sum, ms) => sum + ms, 0),
      `${file}: ${seconds} s`,
    );
  }
  assert.equal(UNITS.length, COMMANDS.length);
  t.diagnostic(
    existsSync("/usr/bin/systemd-analyze") ? "verified by systemd" : "not verified: no systemd-analyze here",
  );
});

test("systemd takes the units without a complaint, and scores them below 2", { timeout: 120_000 }, (t) => {
  if (!existsSync("/usr/bin/systemd-analyze")) return t.diagnostic("not verified: no systemd-analyze here");
  const folder = aFolder("units");
  const copies = UNITS.map((file) => {
    const copy = join(folder, basename(file));
    // Parley is not in /opt here, and systemd asks for the program.
    writeFileSync(
      copy,
      readText(file).replace("ExecStart=/opt/parley/node_modules/node/bin/node", "ExecStart=/bin/echo"),
    );
    return copy;
  });
  const verified = spawnSync("systemd-analyze", ["--man=no", "verify", ...copies], { encoding: "utf8" });
  assert.deepEqual([verified.status, verified.stderr], [0, ""]);
  for (const copy of copies) {
    const { stdout } = spawnSync("systemd-analyze", ["security", "--offline=true", "--threshold=20", copy], {
      encoding: "utf8",
    });
    const score = Number(/exposure level for \S+: (\d+\.\d)/.exec(stdout)?.[1]);
    t.diagnostic(`${basename(copy)}: exposure ${score}`);
    assert.ok(score < 2, `${basename(copy)}: ${score}`);
  }
});

test("the chart's values are of its schema, and templates use values that are there", () => {
  const values = parse(readText("deploy/helm/parley/values.yaml")) as Json;
  type Schema = { properties?: Record<string, Schema>; additionalProperties?: unknown };
  const schema = JSON.parse(readText("deploy/helm/parley/values.schema.json")) as Schema;
  const paths = (of: unknown, at: string, within: Schema | undefined): string[] => {
    if (typeof of !== "object" || of === null || Array.isArray(of) || !within?.properties) return [at];
    return Object.entries(of).flatMap(([name, value]) => {
      assert.ok(within.properties?.[name], `the schema has ${at}.${name}`);
      return [at, ...paths(value, `${at}.${name}`, within.properties[name])];
    });
  };
  const known = new Set(paths(values, "", schema));
  for (const template of TEMPLATES) {
    const text = readText(template);
    for (const [, path] of text.matchAll(/\.Values((?:\.\w+)+)/g))
      assert.ok(known.has(path!), `${template}: .Values${path}`);
    const opened = [...text.matchAll(/\{\{-? (?:if|range|with|define)\b/g)].length;
    assert.equal([...text.matchAll(/\{\{-? end\b/g)].length, opened, `${template}: what is opened is closed`);
  }
  const { version, appVersion } = parse(readText("deploy/helm/parley/Chart.yaml")) as Record<string, string>;
  const release = (JSON.parse(readText("package.json")) as { version: string }).version;
  assert.deepEqual([version, appVersion], [release, release]);
});
