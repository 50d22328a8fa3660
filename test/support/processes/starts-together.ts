import { join } from "node:path";
import { workerData } from "node:worker_threads";
import { keepPrivate } from "#app/process/data-folder.ts";

// One of several that start over the same data directory, again and again: each time a new one, and all of them at the same moment.
const { base, together, arrived } = workerData as { base: string; together: number; arrived: Int32Array };
for (let i = 0; i < arrived.length; i++) {
  Atomics.add(arrived, i, 1);
  while (Atomics.load(arrived, i) < together) Atomics.wait(arrived, i, Atomics.load(arrived, i), 1);
  keepPrivate(join(base, String(i)));
}
