import fc from "fast-check";
import { type Described, readAllOperations, readOperations, urlOf } from "#test/support/api/openapi.ts";
import type { Answer, Parley } from "#test/support/api/parley.ts";
import { aWorld, type World } from "#test/support/api/world.ts";
import { anyCase, type Case, type Target } from "./cases.ts";
import { type Broken, broken, type IsTaken, isOwnFailure } from "./checks.ts";

type Api = Pick<Parley, "get" | "post" | "request">;

/** A case that broke a promise, to be had again by its seed. */
export type Finding = Broken & { operation: string; seed: number; sent: Case };

export type Report = {
  requests: number;
  /** By status. */
  statuses: Record<string, number>;
  /** Server errors that are nobody's wish, each kind once. */
  distinct5xx: string[];
  /** The 500s that the interface asks for. */
  ownFailures: number;
  findings: Finding[];
};

/** So many cases, or as many as a time allows; at least one. */
export type Extent = { cases: number } | { ms: number };

/** Runs the case of each seed from `seed` on. */
export type Fuzz = (seed: number, extent: Extent) => Promise<Report>;

/** Something is deleted, and then asked for, once in this many cases: it has to be made first. */
const DELETE_EVERY = 50;

/** Gets a service ready to be fuzzed: a tenant with one of everything, and requests that every operation takes. */
export async function fuzzer(api: Api): Promise<Fuzz> {
  const operations = (await readOperations(api)).filter((operation) => operation.takesJson);
  const world = await aWorld(api);
  const targets: Target[] = [];
  for (const operation of operations) {
    targets.push({
      operation,
      requests: [await world.valid(operation), await world.valid(operation, { full: true })],
    });
  }
  const known = (await readAllOperations(api)).map(({ method, path }) => ({
    method,
    form: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+").replaceAll(".", "\\.")}$`),
  }));
  const isTaken: IsTaken = (method, path) => known.some((route) => route.method === method && route.form.test(path));
  return (seed, extent) => run({ api, operations, isTaken, world, cases: anyCase(targets) }, seed, extent);
}

type Ready = {
  api: Api;
  operations: Described[];
  isTaken: IsTaken;
  world: World;
  cases: fc.Arbitrary<Case>;
};

async function run(ready: Ready, from: number, extent: Extent): Promise<Report> {
  const report: Report = { requests: 0, statuses: {}, distinct5xx: [], ownFailures: 0, findings: [] };
  const known = new Set<string>();
  const note = (operation: string, seed: number, sent: Case, all: Broken[]) => {
    for (const problem of all) {
      const kind = `${problem.check} ${operation} ${problem.how.slice(0, 60)}`;
      if (!known.has(kind)) report.findings.push({ ...problem, operation, seed, sent });
      known.add(kind);
    }
  };
  const begin = performance.now();
  const goesOn = (done: number) => ("cases" in extent ? done < extent.cases : performance.now() - begin < extent.ms);
  for (let seed = from; seed === from || goesOn(seed - from); seed++) {
    const [sent] = fc.sample(ready.cases, { seed, numRuns: 1 }) as [Case];
    // What the path's other methods delete is gone for all later cases.
    if (sent.method === "DELETE" && ready.operations.find(({ id }) => id === sent.operation)!.method !== "DELETE")
      continue;
    const operation = ready.operations.find(({ id }) => id === sent.operation)!;
    const answer = await ask(ready.api, operation, sent);
    count(report, operation, answer);
    note(operation.id, seed, sent, broken(operation, sent, answer, ready.isTaken));
    if (seed % DELETE_EVERY === 0) note(operation.id, seed, sent, await useAfterFree(ready, report, seed));
  }
  return report;
}

function ask(api: Api, operation: Described, sent: Case): Promise<Answer> {
  const key = sent.auth === "key" ? undefined : sent.auth === "none" ? null : sent.auth.key;
  // fetch gives a GET no body.
  const body = sent.method === "GET" ? undefined : sent.body;
  return api.request(sent.method, urlOf(operation.path, sent.params, sent.query), body, {
    headers: sent.headers,
    ...(key === undefined ? {} : { key }),
  });
}

function count(report: Report, operation: Described, answer: Answer): void {
  report.requests++;
  report.statuses[answer.status] = (report.statuses[answer.status] ?? 0) + 1;
  if (answer.status < 500) return;
  if (isOwnFailure(answer)) report.ownFailures++;
  else {
    const kind = `${operation.id} ${answer.status} ${answer.body?.code}`;
    if (!report.distinct5xx.includes(kind)) report.distinct5xx.push(kind);
  }
}

/** Deletes something, and asks for it in every way that there is. A campaign's records stay readable. */
async function useAfterFree({ api, operations, world }: Ready, report: Report, seed: number): Promise<Broken[]> {
  // What is deleted is what the path ends in: a path that goes on takes away a part of it.
  const deletes = operations.filter(({ method, path }) => method === "DELETE" && path.endsWith("}"));
  const deletion = deletes[Math.floor(seed / DELETE_EVERY) % deletes.length]!;
  const gone = await world.valid(deletion, { fresh: true });
  const name = deletion.pathParams[0]!;
  const deleted = await api.request(deletion.method, urlOf(deletion.path, gone.params));
  count(report, deletion, deleted);
  if (deleted.status !== 200) return [{ check: "use_after_free", how: `${deletion.id} says ${deleted.status}` }];
  const found: Broken[] = [];
  // A number that was given back is anybody's phone still: only those that are ours to call from are meant.
  const within = name === "phone_number" ? deletion.path : "";
  for (const other of operations.filter((each) => each.pathParams[0] === name && each.path.startsWith(within))) {
    const sent = await world.valid(other);
    const params = { ...sent.params, [name]: gone.params[name]! };
    const answer = await api.request(other.method, urlOf(other.path, params, sent.query), sent.body);
    count(report, other, answer);
    // A revoked key stays listed, and to revoke it again is to find it revoked. An erased contact's proofs stay.
    const stays =
      name === "campaign_id"
        ? other.method === "GET"
        : (name === "key_id" && other.method === "DELETE") || other.id === "getEvidence";
    const allowed = stays ? [200, 404] : name === "key_id" ? [404, 409] : [404];
    if (!allowed.includes(answer.status)) {
      found.push({ check: "use_after_free", how: `${other.id} says ${answer.status} after ${deletion.id}` });
    }
  }
  return found;
}

/** A finding with the request that made it. */
export const lineOf = ({ check, operation, how, seed, sent }: Finding): string =>
  `${check} ${operation} (seed ${seed}): ${how}\n  ${JSON.stringify(sent).slice(0, 1_000)}`;
