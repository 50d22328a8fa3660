import { simulatedCallLine } from "#adapters/simulator/call-line.ts";
import { conductInText } from "#conversation/calls/text-call.ts";
import { createCallingWindows } from "#domain/compliance/calling-window.ts";
import { openDb } from "#store/database/db.ts";
import { simulatorCallStore } from "#store/simulator/calls.ts";
import { aDialog, aPlan } from "./plan.ts";

// A process that dials one call on the simulated carrier and is never answered: the carrier takes the call after a second, and its
// answer takes a minute more. Killed by the test that starts it.
const [databaseUrl, tenantId, ref, contactPhone] = process.argv.slice(2) as [string, string, string, string];
const db = openDb({ url: databaseUrl, poolSize: 2, applicationName: "parley dial-and-hang" });
const line = simulatedCallLine(
  {
    store: simulatorCallStore(db),
    conduct: (call, on) => conductInText(aDialog(call.plan), call, on),
    windows: createCallingWindows(),
    now: () => new Date(),
    random: () => 1,
  },
  { latencyMs: 61_000, lostReplyRate: 0, reports: "lookup", profile: "strict", pace: "full" },
);
await line.begin(
  aPlan({ tenantId, ref, contactPhone }),
  async () => {},
  () => true,
).placed;
