import { startEmbeddedPostgres } from "#app/embedded-postgres.ts";
import pg from "pg";
const server = await startEmbeddedPostgres({ dataDir: "/tmp/parley/perf", log: console.log });
process.env.PARLEY_TEST_ADMIN_URL = server.adminUrl;
const { createDatabase } = await import("../test/support/database.ts");
const { startApi } = await import("#app/api.ts");
const { readConfig } = await import("#app/config.ts");
const { wire } = await import("#app/context.ts");
const { bootstrap } = await import("#app/keys.ts");
const { client, BOOTSTRAP_KEY } = await import("../test/support/parley.ts");
const { anAgent, aNoon, SENDER } = await import("../test/support/campaign.ts");
const { url, drop } = await createDatabase();
const config = readConfig({ DATABASE_URL: url, PORT: "0", PARLEY_DATA_DIR: "/tmp/parley/perf-data", PARLEY_BOOTSTRAP_API_KEY: BOOTSTRAP_KEY, PARLEY_RATE_LIMIT: "0" });
const boot = wire(config, url, "boot"); await bootstrap(boot.ctx, config); await boot.close();
const apiServer = await startApi(config, url);
const api = client(apiServer.url, BOOTSTRAP_KEY);
await aNoon(api);
const a = await anAgent(api, { starting_message: "Hi {{first_name}}, this is Ava. Do you have a minute?" });
const N = Number(process.argv[2] ?? 20000);
const body = { campaign_name: "x", organization_id: a.organizationId, user_id: a.userId, sms_agent_id: a.agentId, svc_sms_number: SENDER,
  contacts: Array.from({ length: N }, (_, i) => ({ phone_number: `+1${212 + Math.floor(i / 90000)}${String(2000000 + (i % 90000)).padStart(7, "0")}`.replace("+1213", "+1213"), first_name: `Name${i}`, last_name: "Smith", email: `a${i}@example.com`, city: "New York", state: "NY" })) };
const admin = new pg.Client({ connectionString: server.adminUrl }); await admin.connect();
const watch = setInterval(() => {}, 1e6); const pre = new pg.Client({ connectionString: server.adminUrl }); await pre.connect(); for (const s of ["alter system set session_preload_libraries to auto_explain","alter system set \"auto_explain.log_min_duration\" to 150","alter system set \"auto_explain.log_analyze\" to on","alter system set \"auto_explain.log_timing\" to off","select pg_reload_conf()"]) await pre.query(s).catch((e) => console.log(s, e.message)); await pre.end(); const unused = (async () => {
  const { rows } = await admin.query("select datname, left(regexp_replace(query, '\\s+', ' ', 'g'), 90) q, now()-query_start d, wait_event from pg_stat_activity where state <> 'idle' and pid <> pg_backend_pid() and datname like 'test%'");
  return rows;
});
let t = performance.now();
const made = await api.post("/v1/campaigns", body);
console.log("create", made.status, N / ((performance.now() - t) / 1000), "leads/s", JSON.stringify(made.body).slice(0, 200));
if (process.argv[3]) {
  const { fork } = await import("node:child_process");
  const w = fork("bin/parley.ts", ["worker"], { env: { ...process.env, PARLEY_TEST_ADMIN_URL: undefined, DATABASE_URL: url, PARLEY_DATA_DIR: "/tmp/parley/perf-data", PARLEY_LOG_LEVEL: "warn" } as any, execArgv: process.argv[3] === "prof" ? ["--cpu-prof", "--cpu-prof-dir=/tmp/parley/prof"] : [] });
  t = performance.now();
  for (;;) {
    const { body } = await api.get(`/v1/campaigns/${made.body.campaign_id}`);
    const c = body.campaign.counts;
    const s = (performance.now() - t) / 1000;
    console.log(s.toFixed(1), c.scheduled, c.sending, c.sent, c.delivered, body.campaign.status);
    if (body.campaign.status === "completed" || s > 90) break;
    await new Promise((r) => setTimeout(r, 1000));
  }
  console.log("traffic", JSON.stringify((await api.get("/v1/simulator/traffic")).body));
  w.kill("SIGTERM"); await new Promise((r) => w.once("exit", r));
}
clearInterval(watch); await admin.end(); await apiServer.stop(); await drop(); await server.stop();
