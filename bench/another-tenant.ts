import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { wire } from "#app/context.ts";
import { createKey, createTenant } from "#app/roles/keys.ts";
import { client } from "#test/support/api/parley.ts";
import type { Service } from "./service.ts";

type Api = ReturnType<typeof client>;

/** Small requests at a fixed pace, however long each takes: a slow answer must not slow the asking. */
const EVERY_MS = 20;

/** The API with the key of a tenant that has nothing. */
export async function anotherTenant(service: Service): Promise<Api> {
  const { ctx, close } = wire(service.config, service.databaseUrl, "bench");
  try {
    return client(service.url, await createKey(ctx, await createTenant(ctx, "Another"), "test", "Another"));
  } finally {
    await close();
  }
}

/** How long each of its small GETs takes until `during` has ended, in milliseconds. */
export async function askedDuring(api: Api, during: Promise<unknown>): Promise<number[]> {
  let over = false;
  const done = during.finally(() => {
    over = true;
  });
  const ms: number[] = [];
  const asked: Promise<void>[] = [];
  // Its failure is thrown at the end; until then it must not count as unhandled.
  done.catch(() => {});
  while (!over) {
    const begin = performance.now();
    asked.push(
      api.get(asked.length % 2 === 0 ? "/v1/me" : "/v1/organizations").then(({ status }) => {
        assert.ok(status < 500, `a small GET was answered ${status}`);
        ms.push(performance.now() - begin);
      }),
    );
    await pause(EVERY_MS);
  }
  await Promise.all([done, ...asked]);
  return ms;
}
