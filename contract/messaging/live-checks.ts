import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { named, nullable, tenantId } from "#contract/values/shapes.ts";

export const LiveCheck = named("LiveCheck", {
  name: Type.String({
    description:
      "Such as public_address, reachable, carrier, webhooks, opt_out_text, quiet_hours, spend_limit, first_hour or do_not_call; those of a carrier are its own",
  }),
  ok: Type.Boolean(),
  found: nullable(Type.String({ description: "A sentence: how it is set" })),
  problem: nullable(Type.String({ description: "A sentence: what is wrong" })),
  remedy: nullable(Type.String({ description: "A sentence: what to do" })),
  carrier_id: nullable(Type.String({ description: "The account with a carrier that it is about" })),
  carrier_name: nullable(Type.String()),
});

export const getLiveChecks = operation({
  id: "getLiveChecks",
  method: "GET",
  path: "/v1/live-checks",
  tag: "Sending",
  summary: "What has to be right before real phones are reached, each with what to do; changes nothing",
  scope: "read",
  tenantWide: true,
  query: Type.Object({ tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({
    mode: Type.Enum(["live", "test"], { description: "In test mode nothing is checked: one entry says so" }),
    is_ready: Type.Boolean({ description: "All checks are ok" }),
    checks: Type.Array(LiveCheck),
  }),
});
