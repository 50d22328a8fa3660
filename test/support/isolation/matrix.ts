import { setTimeout as pause } from "node:timers/promises";
import { ask, askForSocket, type RawAnswer, wordsOf } from "#test/support/api/answers.ts";
import { atOnce } from "#test/support/time/at-once.ts";
import { type FieldKind, type IdField, idFields, neverGiven } from "./id-fields.ts";
import type { MarkedOrganization } from "./marked-organization.ts";
import { KINDS, type Kind, type MarkedTenant } from "./marked-tenant.ts";
import {
  type Callers,
  OTHER_MODE,
  OTHER_ORGANIZATION,
  OWNERS,
  POWERLESS,
  STRANGER,
  tenantOf,
} from "./matrix-callers.ts";
import { type Operation, requestWith } from "./matrix-request.ts";

/** Which id a request carries. `other kind` is the caller's own id of a thing of another kind. */
export const VALUES = ["own", "foreign", "random", "other kind", "deleted"] as const;
type Value = (typeof VALUES)[number];

/** Operations at one time. */
const AT_ONCE = 3;

/** What an overloaded api asks for, and how often that is done. */
const RETRY_AFTER_MS = 2_000;
const MOST_ASKED = 30;

/**
 * Where the caller's own id answers as one that never was, and why. Anywhere else that would mean that the id is not
 * looked at, and that this test proves nothing of it.
 */
const OWN_READS_LIKE_NONE: Record<string, string> = {
  "getExtraction thread_id": "says that there is none, be there a thread or not",
  "resolveUnknownCall lead_id": "the tenant's own lead is no recipient of its voice campaign",
  "removeDoNotCall organization_id": "says that nothing went, be there an organization or not",
  "listAudit user_id": "a filter, and this user has done nothing",
  "listAudit key_id": "a filter, and this key has done nothing",
  "exportAudit user_id": "a filter, and this user has done nothing",
  "exportAudit key_id": "a filter, and this key has done nothing",
  "setSignInPolicy organization_ids.0": "the keys are test keys, which may not say how people sign in",
};

/** Where a thing that was deleted does not answer as one that never was, and why. */
const DELETED_STAYS: Partial<Record<FieldKind, (operation: Operation) => boolean>> = {
  // Its records stay readable: what was sent in its name was sent. All but the campaign itself, which is gone.
  campaign: ({ method, id }) => (method === "GET" && id !== "getCampaign") || id === "askWhatIf",
  voice_campaign: ({ method, id }) => method === "GET" && id !== "getVoiceCampaign",
  // An erased contact's proofs stay, and say that it was erased.
  lead: ({ id }) => id === "getEvidence",
  // A revoked key stays listed: to revoke it again is to find it revoked, and to rotate it is a conflict.
  key: ({ id }) => ["revokeApiKey", "rotateApiKey"].includes(id),
};

export type Run = Record<"operations" | "fields" | "callers" | "requests" | "compared", number> &
  Record<"unplaced" | "different" | "opened" | "leaks" | "failures", string[]>;

/** What the matrix is run with. */
export type Parties = {
  ours: MarkedTenant;
  /** Asks for nothing while the others do. */
  theirs: MarkedTenant;
  /** Another organization of ours. */
  beside: MarkedOrganization;
  callers: Callers;
  /** Resolves when nothing goes on that a list would show. */
  quiet(): Promise<void>;
};

/** Tries all of it. `unplaced` are fields that it does not know what to put into, and ids that no operation seems to check. */
export async function matrixOf(url: string, operations: Operation[], parties: Parties): Promise<Run> {
  const { ours, theirs, beside, callers } = parties;
  const run: Run = {
    operations: operations.length,
    fields: 0,
    callers: Object.keys(callers).length,
    requests: 0,
    compared: 0,
    unplaced: [],
    different: [],
    opened: [],
    leaks: [],
    failures: [],
  };
  // A caller without valid credentials gets the same refusal, whatever the request.
  const refusals: Record<string, string> = {};
  for (const name of POWERLESS)
    refusals[name] = wordsOf(await ask(`${url}/v1/me`, "GET", undefined, callers[name]!), "-");
  // Whoever sends a phone number has it from then on: to read it again is no leak to another tenant.
  const ofUs = [ours.mark, ...KINDS.filter((kind) => kind !== "phone").map((kind) => ours.things[kind])];
  // Ids are of one tenant each: seen by another who did not say them, they have leaked.
  const ofThem = [theirs.mark, ...KINDS.map((kind) => theirs.things[kind])];

  const ofBothModes = [ours.things.tenant, ours.things.key];

  /** Paths and bodies, by who asked: a tenant reads in its logs what it has asked itself, and what it was answered. */
  const asked: Record<string, string> = {};

  const tryField = async (operation: Operation, field: IdField | undefined): Promise<void> => {
    const values = field ? await valuesOf(run, operation, field, ours, theirs) : { own: "" };
    // One without an id in its path waits for a first message: what that may say is tested with its operation.
    const isSocket = operation.success.status === 101 && operation.pathParams.length > 0;
    const said: Said = {};
    for (const [value, sent] of Object.entries(values)) {
      for (const [name, caller] of Object.entries(callers)) {
        if (name === OTHER_MODE && value === "own" && isOfBothModes(field)) continue;
        if (name === OTHER_ORGANIZATION && value === "own" && field?.kind === "tenant") continue;
        // Only the tenant itself may use up what is its own, and what is used up stands in the path.
        const uses = value === "own" && OWNERS.includes(name) && field?.at === "path" && operation.method !== "GET";
        const id = uses && isThing(field.kind) ? await ours.fresh(field.kind) : sent;
        // All else is the caller's own, so that it is this id by which it is refused.
        const things = name === OTHER_ORGANIZATION ? beside.things : ours.things;
        const request = requestWith(operation, things, field, id);
        asked[tenantOf(name)] += ` ${decodeURIComponent(request.url)} ${JSON.stringify(bodyOf(request.body))}`;
        const answer = await whenThereIsRoom(() =>
          isSocket
            ? askForSocket(url + request.url, caller)
            : ask(url + request.url, operation.method, request.body, { ...request.headers, ...caller }),
        );
        run.requests++;
        said[name] = { ...said[name], [value]: wordsOf(answer, id) };
        const where = `${operation.id} ${field?.way.join(".") ?? ""} ${value} with ${name}: ${answer.status}`;
        const failure = `${where} ${answer.text.slice(0, 300)}`;
        const own = request.url + decodeURIComponent(request.url) + JSON.stringify(bodyOf(request.body));
        const isOwnLog = ["listRequests", "listAudit", "exportAudit"].includes(operation.id);
        const known = isOwnLog ? own + asked[tenantOf(name)] : own;
        const isOurKey = name === OTHER_MODE && /^\/v1\/(api-keys|audit)/.test(operation.path);
        const isTheTenants = (own: string) =>
          (name === OTHER_MODE && ofBothModes.includes(own)) ||
          (name === OTHER_ORGANIZATION && own === ours.things.tenant);
        const foreign = isOurKey ? [] : ofUs.filter((own) => !isTheTenants(own));
        const secrets = tenantOf(name) === "ours" ? ofThem : [...ofThem, ...foreign];
        const leaked = secretsIn(answer, secrets, known);
        run.leaks.push(...leaked.map((secret) => `${where} ${secret}`));
        if (answer.status >= 500 && !MEANT.has(codeOf(answer))) run.failures.push(failure);
        if (POWERLESS.includes(name) && (answer.status !== 401 || wordsOf(answer, "-") !== refusals[name]))
          run.opened.push(failure);
        if (name === "read-only" && operation.scope !== "read" && answer.status !== 403) run.opened.push(failure);
      }
    }
    if (field && said.ours) compare(run, operation, field, said);
  };

  const pages: [Operation, IdField][] = [];
  await atOnce(AT_ONCE, operations, async (operation) => {
    const { fields, unplaced } = idFields(operation);
    run.unplaced.push(...unplaced);
    run.fields += fields.length;
    const [later, now] = [fields.filter(isPage), fields.filter((field) => !isPage(field))];
    pages.push(...later.map((field): [Operation, IdField] => [operation, field]));
    for (const field of fields.length > 0 ? now : [undefined]) await tryField(operation, field);
  });
  // Pages of two answers are the same only while nothing is written.
  await parties.quiet();
  for (const [operation, field] of pages) await tryField(operation, field);
  return run;
}

/** A busy machine makes the api refuse what can wait: asked again as it asks for it, like any client does. */
async function whenThereIsRoom(request: () => Promise<RawAnswer>): Promise<RawAnswer> {
  for (let asked = 1; ; asked++) {
    const answer = await request();
    if (codeOf(answer) !== "overloaded" || asked === MOST_ASKED) return answer;
    await pause(RETRY_AFTER_MS);
  }
}

/**
 * The way back: whatever the other tenant can read, with its own ids, holds nothing that is ours. Answers with what has leaked, and with how many
 * answers had its own mark, without which nothing would be proven.
 */
export async function readBack(
  url: string,
  operations: Operation[],
  reader: Pick<MarkedTenant, "api" | "mark" | "things">,
  other: MarkedTenant,
): Promise<{ leaks: string[]; marked: string[] }> {
  // What both have, such as their tenant, is no secret.
  const foreign = KINDS.filter((kind) => other.things[kind] !== reader.things[kind]);
  const secrets = [other.mark, ...foreign.map((kind) => other.things[kind])];
  const leaks: string[] = [];
  const marked: string[] = [];
  for (const operation of operations.filter(({ method, success }) => method === "GET" && success.status !== 101)) {
    const { url: path } = requestWith(operation, reader.things, undefined, "");
    const answer = await whenThereIsRoom(() => ask(url + path, "GET", undefined, { "x-api-key": reader.api.key }));
    // What was given as a number and is none stands in the file as it was given: the caller's own word.
    const text = operation.id.endsWith("CampaignLeads") ? answer.text.replace(LEFT_OUT, "") : answer.text;
    leaks.push(...secretsIn({ ...answer, text }, secrets, path).map((secret) => `${operation.id}: ${secret}`));
    if (answer.text.includes(reader.mark)) marked.push(operation.id);
  }
  return { leaks, marked };
}

/** Rows of a campaign's file that are no recipients. */
const LEFT_OUT = /^,[^,\n]*,invalid,.*$/gm;

function secretsIn({ text, headers }: RawAnswer, secrets: readonly string[], known: string): string[] {
  const answered = text + JSON.stringify(headers);
  return secrets.filter((secret) => mentions(answered, secret) && !mentions(known, secret));
}

/** The simulator counts its calls and texts: sim_2 is not in sim_21. */
const mentions = (text: string, secret: string): boolean => {
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1))
    if (!/\d/.test(text.charAt(at + secret.length))) return true;
  return false;
};

/** Answers by caller and value. */
type Said = Record<string, Record<string, string>>;

function compare(run: Run, operation: Operation, field: IdField, said: Said): void {
  const where = `${operation.id} ${field.way.join(".")}`;
  const same = (name: string, a: string, b: string) => {
    run.compared++;
    if (said[name]![a] !== said[name]![b])
      run.different.push(`${where} with ${name}: ${a} ${said[name]![a]}, ${b} ${said[name]![b]}`);
  };
  // The log is counted by each tenant for itself: whose position a number is cannot be known, and two positions have two answers.
  if (field.kind === "position") return;
  for (const name of [...OWNERS, "read-only", STRANGER, OTHER_MODE, OTHER_ORGANIZATION])
    same(name, "foreign", "random");
  // What it says of our own is the rest of our own list.
  if (field.kind === "cursor" || field.kind === "phone" || isMadeUp(operation, field)) return;
  // To a third tenant what is ours is as foreign as what is theirs.
  same(STRANGER, "own", "random");
  if (!isOfBothModes(field)) same(OTHER_MODE, "own", "random");
  if (field.kind !== "tenant") same(OTHER_ORGANIZATION, "own", "random");
  const stays = DELETED_STAYS[field.kind]?.(operation) ?? false;
  if (said.ours!.deleted !== undefined && !stays) for (const name of OWNERS) same(name, "deleted", "random");
  // A thing of another kind may be distinguished from one that never was by its form, and is then refused.
  if (!/^\[40[04],/.test(said.ours!["other kind"]!)) same("ours", "other kind", "random");
  const isLookedAt = said.ours!.own !== said.ours!.random || OWN_READS_LIKE_NONE[where] !== undefined;
  if (!isLookedAt) run.unplaced.push(`${where}: our own id reads like none: ${said.ours!.own}`);
}

async function valuesOf(
  run: Run,
  operation: Operation,
  field: IdField,
  ours: MarkedTenant,
  theirs: MarkedTenant,
): Promise<Partial<Record<Value, string>>> {
  if (field.kind === "cursor") {
    const [own, foreign] = await Promise.all([ours, theirs].map((each) => nextPage(operation, each)));
    if (own === undefined || foreign === undefined) {
      run.unplaced.push(`${operation.id} ${field.way.join(".")}: no second page of ours or theirs`);
      return {};
    }
    return { own, foreign, random: neverGiven(foreign, "cursor") };
  }
  if (field.kind === "position") {
    const [own, foreign] = await Promise.all([ours, theirs].map(({ api }) => lastEvent(api)));
    return { own: own!, foreign: foreign!, random: neverGiven(foreign!, "position") };
  }
  // The caller makes it up: what counts is that it may be the word that another tenant has for something.
  if (isMadeUp(operation, field)) {
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

/** The tenant is one in both modes, and a live key sees to the test keys. */
const isOfBothModes = (field: IdField | undefined): boolean => field?.kind === "tenant" || field?.kind === "key";

/** A campaign may be called what another tenant's is. Nobody owns a number either. */
const isMadeUp = (operation: Operation, { at, way }: IdField): boolean =>
  ["createCampaign", "createVoiceCampaign", "preflightNewCampaign", "preflightNewVoiceCampaign"].includes(
    operation.id,
  ) &&
  at === "body" &&
  way.join() === "campaign_id";

/** Where a list's second page begins; undefined where it has none. */
async function nextPage(operation: Operation, { api, things }: MarkedTenant): Promise<string | undefined> {
  const { url } = requestWith(operation, things, { at: "query", way: ["limit"], kind: "cursor" }, "1");
  return (await api.get(url)).body.next_pagination_key ?? undefined;
}

const lastEvent = async (api: MarkedTenant["api"]): Promise<string> =>
  String((await api.get("/v1/events?limit=10")).body.next_after);

const isPage = ({ kind }: IdField): boolean => kind === "cursor" || kind === "position";
const isThing = (kind: FieldKind): kind is Kind => kind !== "cursor" && kind !== "position";

/**
 * Refusals that the interface itself gives a 5xx for. A number that was given back may be bought again by another operation, and be given back
 * once more while it is linked.
 */
const MEANT = new Set([
  "provisioning_failed",
  "transfer_unavailable",
  "not_available",
  "agent_not_found",
  "update_failed",
]);
const codeOf = ({ text }: RawAnswer): string => /"code":"(\w+)"/.exec(text)?.[1] ?? "";
const bodyOf = (body: FormData | object | undefined) => (body instanceof FormData ? [...body].map(String) : body);
