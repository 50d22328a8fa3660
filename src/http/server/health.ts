import { setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance, FastifyReply } from "fastify";
import { Counter, Gauge, Registry } from "prom-client";
import type { NetworkDrops } from "#domain/system/network-drop.ts";
import type { ObjectUploads } from "#domain/system/object-uploads.ts";
import { AppError } from "#domain/values/errors.ts";
import { addressOf } from "#http/access/client-address.ts";
import { type MetricsAccess, metricsReaders } from "#http/access/metrics-access.ts";
import type { RateLimiter } from "#http/access/rate-limit.ts";

/** Metrics are returned without the values that the database has not returned by then. */
const ALARMS_WITHIN_MS = 2_000;

export type Health = {
  draining(): boolean;
  /** Each check's name with what is wrong, or null. Queries the database. */
  ready(): Promise<Record<string, string | null>>;
  /** Calls without a recording of their length, by what is wrong with it. Queries the database. */
  recordingAlarms(): Promise<Record<string, number>>;
  /** What media nodes have dropped of what came over the network, by kind. Queries the database. */
  networkDrops(): Promise<{ node: string; drops: NetworkDrops }[]>;
  /** What nodes have on their disks that the store which all share has not confirmed; an api calls itself so. Queries the database. */
  objectUploads(): Promise<({ node: string } & ObjectUploads)[]>;
  /** How far the read replica is behind, and who has answered how many readings; undefined where there is none. */
  replica(): { problem: string | null; lagMs: number; readings: Readonly<Record<string, number>> } | undefined;
};

/** Webhooks of carriers since this process began. `refused`: of an account that is not there, or not signed by its carrier; `limited`: so too, of an address that has sent too many such. */
export type WebhookCounts = { taken: number; refused: number; limited: number };

/**
 * /healthz covers the process alone; /readyz also what it needs, and names what is missing. No rate limit: supervisors restart us by them. /metrics is
 * for this machine, or by a token.
 */
export function addHealth(
  app: FastifyInstance,
  health: Health,
  { addresses, webhooks, metrics }: { addresses: RateLimiter; webhooks: WebhookCounts; metrics: MetricsAccess },
): void {
  const mayRead = metricsReaders(metrics);
  const registry = metricsOf(health, webhooks);
  const hidden = { schema: { hide: true } };
  app.get("/healthz", hidden, async () => ({ status: "ok" }));
  app.get("/readyz", hidden, async (_request, reply) => {
    const checks = await health.ready();
    const ready = Object.values(checks).every((problem) => problem === null);
    return reply.code(ready ? 200 : 503).send({
      status: ready ? "ready" : "not_ready",
      checks: Object.fromEntries(Object.entries(checks).map(([name, problem]) => [name, problem ?? "ok"])),
    });
  });
  app.get("/metrics", hidden, async (request, reply) => {
    addresses.take(addressOf(request), reply);
    if (!mayRead(request)) throw refused(reply);
    return reply
      .type(registry.contentType)
      .serializer(asIs)
      .send(await registry.metrics());
  });
}

/** An app's own: several may run in one process. */
function metricsOf(health: Health, webhooks: WebhookCounts): Registry {
  const { recordingAlarms, networkDrops, objectUploads } = health;
  const registry = new Registry();
  new Counter({
    name: "parley_carrier_webhooks_total",
    help: "Webhooks of carriers that this process took, and those that it refused: of no account here, or without its carrier's signature (limited: too many such from one address)",
    labelNames: ["outcome"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [outcome, n] of Object.entries(webhooks)) this.inc({ outcome }, n);
    },
  });
  new Gauge({
    name: "parley_recording_alarms",
    help: "Calls that should have been recorded, and whose recording is missing or not as long as they were",
    labelNames: ["problem"],
    registers: [registry],
    async collect() {
      // While the database is away this is unknown; the other metrics are returned.
      this.reset();
      const late = pause(ALARMS_WITHIN_MS, {}, { ref: false });
      const found = await Promise.race([recordingAlarms(), late]).catch(() => ({}));
      for (const [problem, n] of Object.entries(found)) this.set({ problem }, n);
    },
  });
  new Counter({
    name: "parley_network_drops_total",
    help: "What media nodes dropped of what came over the network, and packets that they did not send, since each began",
    labelNames: ["node", "kind"],
    registers: [registry],
    async collect() {
      this.reset();
      const late = pause(ALARMS_WITHIN_MS, [], { ref: false });
      const nodes = await Promise.race([networkDrops(), late]).catch(() => []);
      for (const { node, drops } of nodes) for (const [kind, n] of Object.entries(drops)) this.inc({ node, kind }, n);
    },
  });
  const uploads = async () => {
    const late = pause(ALARMS_WITHIN_MS, [], { ref: false });
    return Promise.race([objectUploads(), late]).catch(() => []);
  };
  new Gauge({
    name: "parley_objects_waiting",
    help: "Recordings and pictures on a node's disk that the store which all nodes share has not confirmed yet",
    labelNames: ["node"],
    registers: [registry],
    async collect() {
      this.reset();
      for (const { node, waiting } of await uploads()) this.set({ node }, waiting);
    },
  });
  new Gauge({
    name: "parley_objects_failing",
    help: "1 where a node's last uploads to that store failed",
    labelNames: ["node"],
    registers: [registry],
    async collect() {
      this.reset();
      for (const { node, failing } of await uploads()) this.set({ node }, failing ? 1 : 0);
    },
  });
  addReplica(registry, health);
  return registry;
}

/** Without a replica both are there, and have no figures. */
function addReplica(registry: Registry, { replica }: Health): void {
  new Gauge({
    name: "parley_replica_lag_seconds",
    help: "How far the read replica is behind, as this process last saw it",
    registers: [registry],
    collect() {
      this.reset();
      const lagMs = replica()?.lagMs;
      if (lagMs === undefined) this.remove();
      else this.set(lagMs / 1000);
    },
  });
  new Gauge({
    name: "parley_replica_up",
    help: "Whether lists and reports are read from the replica: 0 while it is away or too far behind",
    registers: [registry],
    collect() {
      const state = replica();
      if (state === undefined) this.remove();
      else this.set(state.problem === null ? 1 : 0);
    },
  });
  new Counter({
    name: "parley_replica_readings_total",
    help: "Readings of lists and reports by who answered: the replica, or the database itself, since the replica was behind, away, or failed at it",
    labelNames: ["outcome"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [outcome, n] of Object.entries(replica()?.readings ?? {})) this.inc({ outcome }, n);
    },
  });
}

function refused(reply: FastifyReply): AppError {
  reply.header("www-authenticate", "Bearer");
  const sentence = "Metrics are for this machine itself, and for who sends PARLEY_METRICS_TOKEN as a Bearer token";
  return new AppError("unauthorized", sentence);
}

const asIs = (payload: unknown) => payload as string;
