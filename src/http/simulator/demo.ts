import * as contract from "#contract/simulator/demo.ts";
import { publicId } from "#domain/values/id.ts";
import { type Edge, route } from "#http/server/route.ts";
import { timeView } from "#http/server/views.ts";
import { orderDemo } from "#operations/simulator/load-demo.ts";
import { readDemo } from "#operations/simulator/read-demo.ts";
import { orderDemoRemoval } from "#operations/simulator/remove-demo.ts";

export function demoRoutes(edge: Edge): void {
  route(edge, contract.loadDemo, async ({ ctx, caller }) => ({ demo: demoView(await orderDemo(ctx, caller)) }));

  route(edge, contract.getDemo, async ({ ctx, caller }) => ({ demo: demoView(await readDemo(ctx, caller)) }));

  route(edge, contract.removeDemo, async ({ ctx, caller }) => ({
    demo: demoView(await orderDemoRemoval(ctx, caller)),
  }));
}

function demoView(demo: Awaited<ReturnType<typeof readDemo>>) {
  const isBusy = demo?.status === "loading" || demo?.status === "removing";
  return {
    status: demo?.status ?? "absent",
    step: demo && isBusy ? demo.step : null,
    done: demo?.done ?? 0,
    total: demo?.total ?? 0,
    problem: demo?.problem ?? null,
    organization_ids: demo?.organization_ids.map((id) => publicId("organization", id)) ?? [],
    started_at: timeView(demo?.started_at ?? null),
    finished_at: timeView(demo?.finished_at ?? null),
  };
}
