import assert from "node:assert/strict";
import type { Example } from "#http/server/examples.ts";
import { OWN_WORDS, WORDS } from "./example-words.ts";
import { type Described, urlOf } from "./openapi.ts";
import type { Answer, Parley } from "./parley.ts";
import { canSucceed, type Sent, sample, type World } from "./world.ts";

type Fields = Record<string, unknown>;

const ID =
  /\b(sms_campaign|voice_campaign|org|usr|agt|vagt|llm|lead|list|msg|imp|key|tnt|call|num|ses|carrier)_[0-9a-z]{26}\b/g;
/** Of a list an example has no more items. */
const MOST_ITEMS = 2;

/** Whether its example is sent to a service: where the world has what it needs. Of the others the schema makes it. */
export const isSent = (operation: Described): boolean =>
  operation.caller === "key" &&
  operation.takesJson &&
  operation.success.type === "application/json" &&
  canSucceed(operation);

/** An example of an operation: sent where that can be, else of its schema. */
export async function exampleOf(api: Pick<Parley, "request">, world: World, operation: Described): Promise<Example> {
  const answers = operation.success.type === "application/json";
  if (!isSent(operation)) {
    const names = world.named;
    const body = operation.body && worded(ownTenant(sample(operation.body, "", names, true)), operation, false);
    return {
      ...(body ? { body } : {}),
      ...(answers ? { answer: worded(sample(operation.success.schema, "", names, true), operation) } : {}),
    };
  }
  const sent = await requestOf(world, operation);
  const answer = await api.request(operation.method, urlOf(operation.path, sent.params, sent.query), sent.body);
  assert.equal(answer.status, operation.success.status, `${operation.id}: ${JSON.stringify(answer.body)}`);
  return { ...withoutEmpty(sent), answer: shortened(answer.body) };
}

/** Sends an example with the ids of this service in place of its own. */
export async function sendExample(
  api: Pick<Parley, "request">,
  world: World,
  operation: Described,
  example: Example,
): Promise<Answer> {
  const valid = await world.valid(operation, { full: true, fresh: true });
  const query = { ...example.query, ...idsOf(valid.query, example.query) };
  const body = example.body && { ...(example.body as Fields), ...idsOf(valid.body as Fields, example.body as Fields) };
  return api.request(operation.method, urlOf(operation.path, valid.params, query), body);
}

async function requestOf(world: World, operation: Described): Promise<Sent> {
  const { params, query, body } = await world.valid(operation, { full: true, fresh: true });
  return { params, query: worded(ownTenant(query), operation, false), body: worded(ownTenant(body), operation) };
}

/** Without what only repeats the key's own tenant. */
function ownTenant<T>(fields: T): T {
  if (typeof fields !== "object" || fields === null) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== "tenant_id")) as T;
}

/** With words in place of what a schema alone says: `a prompt`. */
function worded<T>(fields: T, { id }: Described, ofBody = true): T {
  const words: Fields = { ...WORDS, ...OWN_WORDS[id] };
  const inside = (value: unknown, name: string, depth: number): unknown => {
    if (ofBody && depth === 1 && isOfKind(words[name], value)) return words[name];
    if (value === `a ${name}`) return [words[name] ?? value].flat()[0];
    if (Array.isArray(value)) return value.map((item) => inside(item, name, depth + 1));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, inside(inner, field, depth + 1)]));
  };
  return inside(fields, "", 0) as T;
}

const isOfKind = (word: unknown, value: unknown): boolean =>
  typeof value !== "string" && typeof word === typeof value && Array.isArray(word) === Array.isArray(value);

/** What names a thing of this service, or may be there once: it is not the example's own. */
function idsOf(valid: Fields = {}, example: Fields = {}): Fields {
  const own = Object.keys(example).filter(
    (name) =>
      /(_ids?|Ids?|^email|_number|_numbers|^from_campaign|^filter$|^assignee|^to|^phone_numbers|^voice_id)$/.test(
        name,
      ) && name in valid,
  );
  return Object.fromEntries(own.map((name) => [name, valid[name]]));
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map(shortened);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortened(inner)]));
}

/** Of a request without path parameters, query or body these are left out. */
const withoutEmpty = ({ params, query, body }: Sent): Example => ({
  ...(Object.keys(params).length > 0 ? { params } : {}),
  ...(Object.keys(query).length > 0 ? { query } : {}),
  ...(body === undefined ? {} : { body }),
});

/** Ids that say that they are an example's, the same one for the same thing; no secrets, and no address of this machine. */
export function anonymous(written: string): string {
  const known = new Map<string, string>();
  return written
    .replace(ID, (id, kind: string) => {
      const own = known.get(id) ?? `${kind}_${String(known.size + 1).padStart(26, "0")}`;
      known.set(id, own);
      return own;
    })
    .replace(/"w\d+@example\.com"/g, '"uma@acme.example"')
    .replace(/\bpk_(test|live)_[\w-]+/g, "pk_$1_example")
    .replace(/http:\/\/(127\.0\.0\.1|localhost):\d+/g, "https://parley.example")
    .replace(/\?token=[\w.%-]+/g, "?token=example");
}
