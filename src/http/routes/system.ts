import * as contract from "#contract/system.ts";
import { checkHealth } from "#operations/check-health.ts";
import { readSystem } from "#operations/read-system.ts";
import { testCarrier, testModel } from "#operations/test-system.ts";
import { type Edge, route } from "../route.ts";
import { timeView } from "../views.ts";

export function systemRoutes(edge: Edge): void {
  const { ctx, facts } = edge;

  route(edge, contract.getSystem, async ({ caller }) => {
    const it = await readSystem(ctx, caller, facts);
    return {
      system: {
        version: facts.version,
        health: await checkHealth(ctx, await edge.health.ready()),
        nodes: it.nodes.map(({ id, roles, started_at, is_alive, lost_at }) => ({
          node_id: id,
          roles,
          started_at: started_at.toISOString(),
          is_alive,
          last_seen_at: (is_alive ? it.now : (lost_at ?? started_at)).toISOString(),
        })),
        api: { started_at: facts.startedAt.toISOString() },
        carriers: it.carriers,
        model: { name: it.model, host: facts.modelHost },
        speech: facts.speech,
        storage: {
          database: facts.database,
          database_bytes: it.databaseBytes,
          free_bytes: it.disk?.freeBytes ?? null,
          total_bytes: it.disk?.totalBytes ?? null,
        },
        law: {
          profile: it.law.profile,
          verified_on: it.law.verifiedOn,
          rules: it.law.rules,
          area_codes: facts.areaCodes,
        },
        jobs: { ...it.jobs, oldest_due_at: timeView(it.jobs.oldest_due_at) },
        clock: { skew_ms: it.skewMs, ahead_ms: it.aheadMs },
        backup: {
          fenced_at: timeView(it.fence.fenced_at),
          fence_reason: it.fence.fence_reason,
          journal_days: facts.journalDays,
        },
      },
    };
  });

  route(edge, contract.testModel, async ({ caller }) => ({ test: await testModel(ctx, caller) }));

  route(edge, contract.testCarrier, async ({ caller }) => ({ test: await testCarrier(ctx, caller) }));
}
