import { ask, askForSocket, type RawAnswer, wordsOf } from "./answers.ts";
import { atOnce } from "./at-once.ts";
import { type IdField, idFields, neverGiven } from "./id-fields.ts";
import { KINDS, type MarkedTenant } from "./marked-tenant.ts";
import { type Operation, requestWith } from "./matrix-request.ts";
import { until } from "./parley.ts";

/** Which id a request carries. `other kind` is the caller's own id of a thing of another kind. */
export const VALUES = ["own", "foreign", "random", "other kind", "deleted"] as const;
type Value = (typeof VALUES)[number];

/** Operations at one time. */
const AT_ONCE = 3;

/**
 * Where the caller's own id answers as one that never was, and why. Anywhere else that would mean that the id is not
 * looked at, and that this test proves nothing of it.
 */
const OWN_READS_LIKE_NONE: Record<string, string> = {
  "getExtraction thread_id": "says that there is none, be there a thread or not",
  "resolveUnknownCall lead_id": "the tenant's own lead is no recipient of its voice campaign",
  "removeDoNotCall organization_id": "says that nothing went, be there an organization or not",
};

export type Run = Record<"operations" | "fields" | "keys" | "requests" | "compared", number> &
  Record<"unplaced" | "different" | "opened" | "leaks" | "failures", string[]>;

/** Tries all of it. `unplaced` are fields that it does not know what to put into, and ids that nobody seems to look at. */
export async function matrixOf(
  url: string,
  operations: Operation[],
  ours: MarkedTenant,
  theirs: MarkedTenant,
  thirdKey: string,
): Promise<Run> {
  const run: Run = {
    operations: 0,
    fields: 0,
    keys: 0,
    requests: 0,
    compared: 0,
    unplaced: [],
    different: [],
    opened: [],
    leaks: [],
    failures: [],
  };
  const keys = await keysOf(ours, thirdKey);
  run.keys = Object.keys(keys).length;
  const refused = wordsOf(await ask(`${url}/v1/me`, "GET", undefined, undefined), "-");
  // Ids are of one tenant each: seen by another who did not say them, they have leaked.
  const secrets = [theirs.mark, ...KINDS.map((kind) => theirs.things[kind])];

  /** Paths, by who asked: a tenant reads in its log of requests what it has asked itself. */
  const asked: Record<string, string> = {};
  const ofUs = (name: string) => (name === "read-only" ? "ours" : name);

  const one = async (it: Operation): Promise<void> => {
    run.operations++;
    const { fields, unplaced } = idFields(it);
    run.unplaced.push(...unplaced);
    run.fields += fields.length;
    // One without an id in its path waits for a first message: what that may say is tested with its operation.
    const isSocket = it.success.status === 101 && it.pathParams.length > 0;
    for (const field of fields.length > 0 ? fields : [undefined]) {
      const values = field ? await valuesOf(it, field, ours, theirs) : { own: "" };
      const said: Said = {};
      for (const [value, sent] of Object.entries(values)) {
        for (const [name, key] of Object.entries(keys)) {
          // Only the tenant itself may use up what is its own, and what is used up stands in the path.
          const uses = value === "own" && name === "ours" && field?.at === "path" && it.method !== "GET";
          const id = uses && field.kind !== "cursor" ? await ours.fresh(field.kind) : sent;
          const request = requestWith(it, ours.things, field, id);
          asked[ofUs(name)] += ` ${decodeURIComponent(request.url)}`;
          const answer = await (isSocket
            ? askForSocket(url + request.url, key)
            : ask(url + request.url, it.method, key, request.body));
          run.requests++;
          said[name] = { ...said[name], [value]: wordsOf(answer, id) };
          const where = `${it.id} ${field?.way.join(".") ?? ""} ${value} with ${name}: ${answer.status}`;
          const told = `${where} ${answer.text.slice(0, 300)}`;
          const own = request.url + decodeURIComponent(request.url) + JSON.stringify(bodyOf(request.body));
          const known = it.id === "listRequests" ? own + asked[ofUs(name)] : own;
          const heard = answer.text + JSON.stringify(answer.headers);
          const leaked = secrets.filter((secret) => mentions(heard, secret) && !mentions(known, secret));
          run.leaks.push(...leaked.map((secret) => `${where} ${secret}`));
          if (answer.status >= 500 && !MEANT.has(codeOf(answer))) run.failures.push(told);
          if (POWERLESS.includes(name) && wordsOf(answer, "-") !== refused) run.opened.push(told);
          if (name === "read-only" && it.scope !== "read" && answer.status !== 403) run.opened.push(told);
        }
      }
      if (field && field.kind !== "cursor") compare(run, it, field, said);
    }
  };
  await atOnce(AT_ONCE, operations, one);
  return run;
}

/** The simulator counts its calls and texts: sim_2 is not in sim_21. */
const mentions = (text: string, secret: string): boolean => {
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1))
    if (!/\d/.test(text.charAt(at + secret.length))) return true;
  return false;
};

/** Answers by key and value. */
type Said = Record<string, Record<string, string>>;

const POWERLESS = ["none", "bad", "revoked", "expired"];

function compare(run: Run, it: Operation, field: IdField, said: Said): void {
  const where = `${it.id} ${field.way.join(".")}`;
  const same = (key: string, a: string, b: string) => {
    run.compared++;
    if (said[key]![a] !== said[key]![b])
      run.different.push(`${where} with ${key}: ${a} ${said[key]![a]}, ${b} ${said[key]![b]}`);
  };
  for (const key of ["ours", "read-only", "another tenant's"]) same(key, "foreign", "random");
  if (field.kind === "phone" || isMadeUp(it, field)) return;
  // To a third tenant what is ours is as foreign as what is theirs.
  same("another tenant's", "own", "random");
  // A thing of another kind may be told from one that never was by its form, and is then refused.
  if (!/^\[40[04],/.test(said.ours!["other kind"]!)) same("ours", "other kind", "random");
  const isLookedAt = said.ours!.own !== said.ours!.random || OWN_READS_LIKE_NONE[where] !== undefined;
  if (!isLookedAt) run.unplaced.push(`${where}: our own id reads like none: ${said.ours!.own}`);
}

async function valuesOf(
  it: Operation,
  field: IdField,
  ours: MarkedTenant,
  theirs: MarkedTenant,
): Promise<Partial<Record<Value, string>>> {
  if (field.kind === "cursor") {
    const cursors = await Promise.all([ours, theirs].map((each) => cursorOf(it, each)));
    const [own, foreign] = cursors as [string, string];
    return { own, foreign, random: neverGiven(own, "cursor") };
  }
  // The caller makes it up: what counts is that it may be the word that another tenant has for something.
  if (isMadeUp(it, field)) {
    const foreign = theirs.word("campaign");
    return { foreign, random: neverGiven(foreign, "campaign") };
  }
  const foreign = field.kind === "phone" ? theirs.word("phone") : theirs.things[field.kind];
  const deleted = await ours.deleted(field.kind);
  const other = KINDS[(KINDS.indexOf(field.kind) + 1) % (KINDS.length - 1)]!;
  return {
    own: ours.things[field.kind],
    foreign,
    random: neverGiven(foreign, field.kind),
    "other kind": ours.things[other],
    ...(deleted === undefined ? {} : { deleted }),
  };
}

/** A campaign may be called what another tenant's is. Nobody owns a number either. */
const isMadeUp = (it: Operation, { at, way }: IdField): boolean =>
  ["createCampaign", "createVoiceCampaign", "preflightNewCampaign", "preflightNewVoiceCampaign"].includes(it.id) &&
  at === "body" &&
  way.join() === "campaign_id";

/** Where a list's second page begins; where it has none, where it would: after a thing of the tenant's. */
async function cursorOf(it: Operation, { api, things }: MarkedTenant): Promise<string> {
  const { url } = requestWith(it, things, { at: "query", way: ["limit"], kind: "cursor" }, "1");
  const { body } = await api.get(url);
  return body.next_pagination_key ?? Buffer.from(things.phone + things.organization).toString("base64url");
}

async function keysOf(ours: MarkedTenant, third: string): Promise<Record<string, string | undefined>> {
  const make = async (more: object) => (await ours.api.post("/v1/api-keys", { name: "Matrix", ...more })).body;
  const revoked = await make({});
  await ours.api.delete(`/v1/api-keys/${revoked.key_id}`);
  const expired = await make({ expires_at: new Date(Date.now() + 1_000).toISOString() });
  const isOver = async (key: string) => (await ours.api.get("/v1/me", { key })).status === 401;
  await until("the key has expired", () => isOver(expired.api_key));
  await until("the key is revoked", () => isOver(revoked.api_key));
  return {
    ours: ours.api.key,
    "read-only": (await make({ scopes: ["read"] })).api_key,
    "another tenant's": third,
    none: undefined,
    bad: `${ours.api.key.slice(0, -4)}abcd`,
    revoked: revoked.api_key,
    expired: expired.api_key,
  };
}

/**
 * Refusals that the interface itself gives a 5xx for. A number that was given back may be bought again by another operation, and be given back
 * once more while it is linked.
 */
const MEANT = new Set(["transfer_unavailable", "not_available", "agent_not_found", "update_failed"]);
const codeOf = ({ text }: RawAnswer): string => /"code":"(\w+)"/.exec(text)?.[1] ?? "";
const bodyOf = (body: FormData | object | undefined) => (body instanceof FormData ? [...body].map(String) : body);
