import { existsSync } from "node:fs";
import { join } from "node:path";
import files from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { notFound } from "#domain/values/errors.ts";

/** The name of a file below this has the hash of its content in it: another content has another name. */
const HASHED = "/console/assets/";

const NOT_BUILT = "The console is not built. `npm start` builds it, and so does `npm run build -w console`.\n";

/**
 * The console at /console: what its build has made, compressed then. Routing happens in the browser,
 * so every other path is answered with the same page. Serves files only: no key or session is needed.
 */
export async function addConsole(app: FastifyInstance, folder: string): Promise<void> {
  await app.register(
    async (scope) => {
      await scope.register(files, {
        root: folder,
        preCompressed: true,
        cacheControl: false,
        // A service without a build answers with NOT_BUILT below.
        suppressWarning: true,
        setHeaders: (reply) => {
          const isHashed = reply.request.url.startsWith(HASHED);
          reply.header("cache-control", isHashed ? "public, max-age=31536000, immutable" : "no-cache");
        },
      });
      scope.setNotFoundHandler((request, reply) => {
        if ((request.method !== "GET" && request.method !== "HEAD") || request.url.startsWith(HASHED)) {
          throw notFound("Path");
        }
        if (!existsSync(join(folder, "index.html"))) return reply.code(503).type("text/plain").send(NOT_BUILT);
        return reply.code(200).sendFile("index.html");
      });
    },
    { prefix: "/console" },
  );
  // A newcomer who opens the printed address sees what there is.
  app.get("/", { schema: { hide: true } }, async (_request, reply) => reply.redirect("/console/"));
}
