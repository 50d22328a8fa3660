import * as contract from "#contract/system/system.ts";
import { NETWORK_DROPS } from "#domain/system/network-drop.ts";
import { importOf, taskId, type WatchedTask } from "#domain/system/watched-task.ts";
import { publicId } from "#domain/values/id.ts";
import { type Edge, route } from "#http/server/route.ts";
import { timeView } from "#http/server/views.ts";
import { checkHealth } from "#operations/system/check-health.ts";
import { readSystem } from "#operations/system/read-system.ts";
import { resolveSetAside } from "#operations/system/resolve-set-aside.ts";
import { testCarrier, testModel } from "#operations/system/test-system.ts";

function importView(task: Pick<WatchedTask, "kind" | "id">) {
  const of = importOf(task);
  return { import_id: of ? publicId("import", of.importId) : null, row: of?.row || null };
}

export function systemRoutes(edge: Edge): void {
  const { facts } = edge;

  route(edge, contract.getSystem, async ({ ctx, caller }) => {
    const system = await readSystem(ctx, caller, facts);
    return {
      system: {
        version: facts.version,
        commit: facts.commit,
        health: await checkHealth(ctx, await edge.health.ready()),
        nodes: system.nodes.map(({ id, roles, started_at, is_alive, lost_at, drops }) => ({
          node_id: id,
          roles,
          started_at: started_at.toISOString(),
          is_alive,
          last_seen_at: (is_alive ? system.now : (lost_at ?? started_at)).toISOString(),
          drops: NETWORK_DROPS.flatMap((kind) => (drops[kind] ? [{ kind, count: drops[kind] }] : [])),
        })),
        api: { started_at: facts.startedAt.toISOString() },
        carriers: system.carriers,
        model: { name: system.model, host: facts.modelHost, fallback: facts.modelFallback },
        conversations: {
          answer_delayed: system.conversations.delayed,
          delayed_since: timeView(system.conversations.delayedSince),
          need_person: system.conversations.needPerson,
        },
        speech: facts.speech,
        storage: {
          database: facts.database,
          database_bytes: system.databaseBytes,
          free_bytes: system.disk?.freeBytes ?? null,
          total_bytes: system.disk?.totalBytes ?? null,
        },
        law: {
          profile: system.law.profile,
          verified_on: system.law.verifiedOn,
          rules: system.law.rules,
          area_codes: facts.areaCodes,
        },
        jobs: { ...system.jobs, oldest_due_at: timeView(system.jobs.oldest_due_at) },
        set_aside: system.setAside.map((task) => ({
          task_id: taskId(task),
          kind: task.kind,
          times: task.times,
          ...importView(task),
          set_aside_at: task.set_aside_at.toISOString(),
        })),
        clock: { skew_ms: system.skewMs, ahead_ms: system.aheadMs },
        backup: {
          fenced_at: timeView(system.fence.fenced_at),
          fence_reason: system.fence.fence_reason,
          journal_days: facts.journalDays,
        },
      },
    };
  });

  route(edge, contract.resolveSetAside, async ({ ctx, caller, params: { task_id }, body: { action } }) => {
    await resolveSetAside(ctx, caller, task_id, action);
    return { task: { task_id, action } };
  });

  route(edge, contract.testModel, async ({ ctx, caller }) => ({ test: await testModel(ctx, caller) }));

  route(edge, contract.testCarrier, async ({ ctx, caller }) => ({ test: await testCarrier(ctx, caller) }));
}
