import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import type { FastifyReply, FastifyRequest } from "fastify";
import { getMe } from "#contract/accounts/api-keys.ts";
import type { Operation } from "#contract/values/operation.ts";
import { Admission } from "./admission.ts";

const operation = getMe as unknown as Operation;
const request = { headers: {} } as FastifyRequest;

test("a request is counted to its tenant until it is over, and not where its connection is cut before its tenant is known", () => {
  const admission = new Admission({ waitMs: () => 0, overloadMs: 0 });
  const begin = (tenant: string, isCut: boolean) => {
    const raw = new EventEmitter();
    const admitted = admission.enter(operation, request, { raw } as unknown as FastifyReply);
    if (isCut) raw.emit("close");
    admission.enterAs(tenant, admitted);
    return () => raw.emit("close");
  };
  for (let i = 0; i < 1_000; i++) begin("hasty", true);
  const open = Array.from({ length: 256 }, () => begin("hasty", false));
  assert.throws(() => begin("hasty", false), { code: "rate_limited" });
  begin("another", false)();
  for (const end of open) end();
  begin("hasty", false)();
});
