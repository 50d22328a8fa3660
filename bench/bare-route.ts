import fastify from "fastify";

// The baseline of the http suite, in a process of its own: what Fastify alone makes of the same answer.
const answer = JSON.parse(process.argv[2]!) as object;
const app = fastify();
app.get("/v1/me", async () => answer);
process.stdout.write(`ready: ${await app.listen({ host: "127.0.0.1", port: 0 })}\n`);
process.on("SIGTERM", () => process.exit(0));
