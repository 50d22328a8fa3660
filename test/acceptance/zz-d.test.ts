import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { anOwner } from "#test/support/owner.ts";
import { startParley } from "#test/support/parley.ts";
test("m", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const owner = await anOwner(api);
  const body = JSON.stringify({ list_name: "x", ...owner, contacts: Array.from({ length: 100_000 }, (_, i) => ({ phone_number: `+1303${2_000_000 + ((i*7919)%100_000)}`, first_name: `N${i}`, last_name: "Doe", email: `n${i}@acme.example`, city: "Reno", company_name: "Acme" })) });
  await api.post("/v1/contacts/lists", { list_name: "w", ...owner, contacts: Array.from({length: 500},(_, i)=>({phone_number:`+1702${2000000+i}`, notes:"x".repeat(200)})) });
  const w = new Worker(`
    const { parentPort, workerData } = require("node:worker_threads");
    const lat = []; let stop = false; parentPort.on("message", () => { stop = true; });
    (async () => { while (!stop) { const t0 = performance.now(); const r = await fetch(workerData.url + "/v1/me", { headers: { "x-api-key": workerData.key } }); await r.text(); lat.push(performance.now() - t0); await new Promise(r => setTimeout(r, 5)); }
      lat.sort((a,b)=>a-b); parentPort.postMessage({ n: lat.length, p50: lat[lat.length>>1], p99: lat[Math.floor(lat.length*.99)], max: lat.at(-1) }); })();`, { eval: true, workerData: { url: api.url, key: api.key } });
  const t0 = performance.now();
  const r = await fetch(api.url + "/v1/contacts/lists", { method: "POST", headers: { "x-api-key": api.key, "content-type": "application/json" }, body });
  const n = (await r.arrayBuffer()).byteLength;
  console.log(r.status, n, "bytes", Math.round(performance.now() - t0), "ms", body.length);
  await new Promise((res) => { w.once("message", (m) => { console.log(m); res(undefined); }); w.postMessage("stop"); });
  const del = performance.now();
  const lists = (await api.get(`/v1/contacts/lists?organization_id=${owner.organization_id}`)).body.lists;
  console.log("list", Math.round(performance.now()-del));
  for (const l of lists) { const t1 = performance.now(); await api.delete(`/v1/contacts/lists/${l.list_id}`); console.log("delete", l.count, Math.round(performance.now()-t1)); }
  const t2 = performance.now(); const leads = (await api.get(`/v1/contacts/leads?organization_id=${owner.organization_id}&limit=100`)).body.leads; console.log("leads", leads.length, Math.round(performance.now()-t2));
  const t3 = performance.now(); await api.delete(`/v1/contacts/leads/${leads[0].unique_id}`); console.log("erase", performance.now()-t3);
});
