import { Type } from "typebox";
import { HealthCheck } from "#contract/campaigns/overview.ts";
import { operation } from "#contract/values/operation.ts";
import { id, named, nullable, tenantId, timestamp } from "#contract/values/shapes.ts";

const tag = "System";

const bytes = (description: string) => nullable(Type.Integer({ description }));

export const System = named("System", {
  version: Type.String(),
  commit: nullable(Type.String({ description: "Of the source that runs, 40 hex digits" })),
  health: Type.Array(HealthCheck),
  nodes: Type.Array(
    Type.Object({
      node_id: Type.String(),
      roles: Type.Array(Type.String()),
      started_at: timestamp(),
      is_alive: Type.Boolean({ description: "Whether the process still reports to the database" }),
      last_seen_at: timestamp(),
      drops: Type.Array(
        Type.Object({
          kind: Type.Enum([
            "oversized",
            "flooded",
            "malformed",
            "stranger",
            "wrong_password",
            "locked_out",
            "connection",
            "rtp_refused",
            "rtp_withheld",
          ]),
          count: Type.Integer(),
        }),
        {
          description:
            "What a media node dropped of what came over the network, since its process began; docs/voice.md",
        },
      ),
    }),
    { description: "Workers and media nodes: those that run, then those that were lost; at most 50" },
  ),
  api: Type.Object({ started_at: timestamp() }, { description: "The node that answers" }),
  carriers: Type.Array(
    Type.Object({
      channel: Type.Enum(["sms", "voice"]),
      mode: Type.Enum(["test", "live"]),
      name: nullable(Type.String({ description: "Null where nothing is configured: such keys are refused" })),
    }),
  ),
  model: Type.Object({
    name: Type.String(),
    host: nullable(Type.String({ description: "Where it is asked; null for the offline agent" })),
    fallback: nullable(
      Type.Object({ name: Type.String(), host: Type.String() }, { description: "Asked where the first one fails" }),
    ),
  }),
  conversations: Type.Object(
    {
      answer_delayed: Type.Integer({ description: "Answers to texts that wait for the language model" }),
      delayed_since: nullable(timestamp()),
      need_person: Type.Integer({ description: "Conversations by text in which nobody answers until a person does" }),
    },
    { description: "Of the tenant" },
  ),
  speech: Type.Object({
    voice: Type.String(),
    transcription: Type.String(),
    problem: nullable(Type.String({ description: "Why the audio of calls does not work, and what to do" })),
  }),
  storage: Type.Object({
    database: Type.Enum(["embedded", "external"]),
    database_bytes: bytes("All of the database, whoever's"),
    free_bytes: bytes("In the data directory of the node that answers: recordings, uploads, the journal"),
    total_bytes: bytes("Of the same disk"),
  }),
  law: Type.Object({
    profile: Type.Enum(["strict", "federal"]),
    verified_on: Type.String({
      format: "date",
      description: "When the rules about hours were last read at their sources",
    }),
    rules: Type.Integer(),
    area_codes: Type.Integer(),
  }),
  jobs: Type.Object({
    waiting: Type.Integer({ description: "Also those whose time has not come" }),
    due: Type.Integer({ description: "Whose time has come" }),
    oldest_due_at: nullable(timestamp()),
    failing: Type.Integer({ description: "Tried three times and more" }),
  }),
  set_aside: Type.Array(
    Type.Object({
      task_id: Type.String(),
      kind: Type.Enum([
        "text",
        "reply",
        "opt_out_judgement",
        "extraction",
        "call_analysis",
        "import_row",
        "import_file",
      ]),
      times: Type.Integer({ description: "Processes, or threads for imports, that stood still at it" }),
      import_id: nullable(Type.String({ description: "Of an import: whose row, or file, it is" })),
      row: nullable(Type.Integer({ description: "Of an import's row: its number in the file" })),
      set_aside_at: timestamp(),
    }),
    { description: "What held two processes and is not begun again until somebody decides; the newest 100" },
  ),
  clock: Type.Object({
    skew_ms: nullable(Type.Integer({ description: "Of the node that answers, from the database's" })),
    ahead_ms: Type.Integer({ description: "How far the simulator has moved the tenant's own clock" }),
  }),
  backup: Type.Object({
    fenced_at: nullable(timestamp()),
    fence_reason: nullable(Type.String({ description: "Why nothing is sent: `parley fence` lifts it" })),
    journal_days: Type.Integer({ description: "The age up to which a backup can be restored without sending twice" }),
  }),
});

export const getSystem = operation({
  id: "getSystem",
  method: "GET",
  path: "/v1/system",
  tag,
  summary: "What the service consists of and how it is doing",
  scope: "admin",
  query: Type.Object({ tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({ system: System }),
});

export const SystemTest = named("SystemTest", {
  name: nullable(Type.String()),
  outcome: Type.Enum(["passed", "failed", "not_tested"]),
  ms: Type.Integer(),
  detail: Type.String({ description: "A sentence for a person: what was tried and what came of it" }),
});

const body = Type.Object({ tenant_id: tenantId() });

export const resolveSetAside = operation({
  id: "resolveSetAside",
  method: "POST",
  path: "/v1/system/set-aside/:task_id/resolve",
  tag,
  summary: "Try again what was set aside, or leave it alone for good",
  scope: "admin",
  params: Type.Object({ task_id: id("task") }),
  body: Type.Object({ action: Type.Enum(["retry", "discard"]), tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({ task: Type.Object({ task_id: Type.String(), action: Type.Enum(["retry", "discard"]) }) }),
});

export const testModel = operation({
  id: "testModel",
  method: "POST",
  path: "/v1/system/test-model",
  tag,
  summary: "Ask the language model for one answer, as an agent would, within 20 seconds",
  scope: "admin",
  body,
  status: 200,
  response: Type.Object({ test: SystemTest }),
});

export const testCarrier = operation({
  id: "testCarrier",
  method: "POST",
  path: "/v1/system/test-carrier",
  tag,
  summary: "Have the simulated carrier take one text to itself; in live mode nothing is ever sent",
  scope: "admin",
  body,
  status: 200,
  response: Type.Object({ test: SystemTest }),
});
