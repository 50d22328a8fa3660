import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { startParley } from "#test/support/api/parley.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { readText } from "#test/support/source/source.ts";

const HEADING = "## The first campaign";

test("the block of the README, pasted into a shell, makes a campaign and prints its conversation", async (t) => {
  const api = await startParley(t);
  const folder = aFolder("readme");
  const block = /```sh\n([^`]+)```/.exec(readText("README.md").split(HEADING)[1]!)![1]!;
  const begin = "URL=http://localhost:8080 KEY=$(cat .data/first-api-key)";
  assert.ok(block.startsWith(begin), block);
  // This service's own address and key; all else is as a reader pastes it.
  const script = join(folder, "first-campaign.sh");
  writeFileSync(
    script,
    block.replace(begin, () => `URL=${api.url} KEY=${api.key}`),
  );

  const { stdout, stderr } = await promisify(execFile)("bash", [script], { cwd: folder });

  assert.equal(stderr, "");
  assert.match(stdout, /"direction":"outbound"\s+"text":"Hi Ann, it is Ava from Acme Homes\./);
  assert.match(
    stdout,
    /"direction":"inbound"\s+"text":"Yes"\n"direction":"outbound"/,
    "the phone and the agent have answered",
  );
});
