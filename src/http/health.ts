import type { FastifyInstance } from "fastify";
import { register } from "prom-client";

export type Health = {
  draining(): boolean;
  /** Each check's name with what is wrong, or null. Asks the database. */
  ready(): Promise<Record<string, string | null>>;
};

/** /healthz tells of the process alone; /readyz also of what it needs, and says which is missing. */
export function addHealth(app: FastifyInstance, health: Health): void {
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
  app.get("/metrics", hidden, async (_request, reply) =>
    reply
      .type(register.contentType)
      .serializer(asIs)
      .send(await register.metrics()),
  );
  // A newcomer who opens the printed address sees what there is.
  app.get("/", hidden, async (_request, reply) => reply.redirect("/docs"));
}

const asIs = (payload: unknown) => payload as string;
