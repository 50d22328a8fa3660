import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { restore } from "#app/command/backup.ts";
import { wire } from "#app/context.ts";
import { startApi } from "#app/roles/api.ts";
import { bootstrap } from "#app/roles/keys.ts";
import { readConfig } from "#app/settings/config.ts";
import { BOOTSTRAP_KEY, client, until } from "#test/support/api/parley.ts";
import { emptyDatabase } from "#test/support/database/database.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { root } from "#test/support/source/source.ts";

/** Backups of released versions with their demo data, made under this secret key; README.md says how. */
const RELEASED = globSync("test/integration/restore/parley-*.backup", { cwd: root }).sort();
const SECRET_KEY = "0123456789abcdef0123456789abcdef";

assert.ok(RELEASED.length > 0);
for (const file of RELEASED) {
  test(`a database of ${file.split("/").at(-1)} is brought to this version, and every list of it can be read`, async (t) => {
    const folder = aFolder("upgrade");
    const url = await emptyDatabase(t);
    const config = readConfig({
      DATABASE_URL: url,
      PORT: "0",
      PARLEY_DATA_DIR: folder,
      PARLEY_SECRET_KEY: SECRET_KEY,
      PARLEY_BOOTSTRAP_API_KEY: BOOTSTRAP_KEY,
      PARLEY_LOG_LEVEL: "error",
      PARLEY_RATE_LIMIT: "0",
    });
    // Brings it to the schema that it had, loads and counts its rows, then runs every later migration.
    await restore(config, url, join(root, file), new Date());
    const boot = wire(config, url, "boot");
    await bootstrap(boot.ctx, config);
    await boot.close();
    const api = await startApi(config, url);
    t.after(() => api.stop());
    const { get } = client(api.url, BOOTSTRAP_KEY);

    const { paths } = (await get("/openapi.json")).body;
    const lists = Object.keys(paths).filter((path) => {
      const read = paths[path].get;
      const needs = (read?.parameters ?? []).some((parameter: { required?: boolean }) => parameter.required);
      // What follows events never ends, and a person's pages need a session.
      return (
        read &&
        !needs &&
        !/\{|\/(stream|sessions?|oidc|factors|calls)$|microphone|voices/.test(path) &&
        path.startsWith("/v1/")
      );
    });
    assert.ok(lists.length > 15, lists.join(" "));
    for (const path of lists) {
      // A busy machine makes the api refuse what can wait: asked again, as any client does.
      const { status, body } = await until(`${path} is answered`, async () => {
        const answer = await get(path);
        return answer.body.code !== "overloaded" && answer;
      });
      const isOfLiveKeys = body.code === "live_key_required" && path === "/v1/carriers";
      assert.ok(status === 200 || isOfLiveKeys, `${path}: ${JSON.stringify(body)}`);
    }
    const { campaign } = (await get("/v1/campaigns/demo_spring")).body;
    assert.equal(campaign.details.total_contacts, 110);
    const counts: number[] = Object.values(campaign.counts);
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      110,
      JSON.stringify(campaign.counts),
    );
    const { body: thread } = await get("/v1/sms/threads/%2B13055550106_demo_spring");
    assert.ok(thread.thread.messages.length >= 2, JSON.stringify(thread));
    const { body: call } = await get("/v1/voice/campaigns/demo_spring_calls/calls?limit=1");
    assert.equal(call.calls.length, 1, JSON.stringify(call));
  });
}
