import assert from "node:assert/strict";
import { test } from "node:test";
import type { Capacity } from "./measure.ts";
import { envLines, reportJson, reportLines, settingsOf } from "./report.ts";

const capacity: Capacity = {
  cores: 4,
  othersBusy: 0.02,
  texts: { count: 60_000, seconds: 24, busy: 0.97, cpuMsEach: 1.552, logBytesEach: 3_812.4 },
  imports: { count: 200_000, seconds: 20, busy: 0.5, cpuMsEach: 0.2, logBytesEach: 1_745 },
  calls: { calls: 143, p99Ms: 15, busy: 0.93, isLeast: false },
};

test("three lines say how many a second, with what each costs, and the fourth what limits them", () => {
  assert.deepEqual(reportLines(capacity), [
    "Texts: 2,500 a second from claim to settled (60,000 texts, 1.55 ms of processor time and 3,812 bytes of the database's log a text).",
    "Calls: 143 with sound at once in a media process, 99 % of their frames at most 15.0 ms late (the bound is 20 ms).",
    "Imports: 10,000 rows a second (200,000 rows, 0.20 ms of processor time and 1,745 bytes of the database's log a row).",
    "What limits first: texts the 4 cores (97 % busy), calls the one core of a media process (93 % busy), imports the database and its disk (the 4 cores were 50 % busy).",
  ]);
});

test("what else is at work on the machine is said, and calls that were never late are the least that it carries", () => {
  const lines = reportLines({ ...capacity, othersBusy: 0.4, calls: { ...capacity.calls, isLeast: true } });
  assert.match(lines[1]!, /^Calls: at least 143 /);
  assert.match(lines[3]!, /calls nothing that was tried/);
  assert.equal(
    lines[4],
    "Others kept 40 % of the processors busy as this began: on an idle machine the figures are higher.",
  );
});

test("the settings are as many calls as were in time, and none where none was", () => {
  assert.deepEqual(envLines(settingsOf(capacity)), ["PARLEY_MEDIA_CALLS=143"]);
  assert.deepEqual(settingsOf({ ...capacity, calls: { ...capacity.calls, calls: 0 } }), {});
  const json = reportJson(capacity);
  assert.deepEqual([json.texts.per_second, json.calls.per_process, json.settings], [2_500, 143, settingsOf(capacity)]);
});
