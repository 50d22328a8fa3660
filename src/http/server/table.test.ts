import assert from "node:assert/strict";
import { test } from "node:test";
import Fastify from "fastify";
import { sendArchive, sendTable } from "./table.ts";

test("HEAD of a table or an archive has the headers of GET, and reads and makes nothing", async (t) => {
  let [read, made] = [0, 0];
  const rows = async function* () {
    read++;
    yield [["a"]];
  };
  const pieces = async function* () {
    read++;
    yield Buffer.from("zip");
  };
  const make = async () => {
    made++;
    return pieces();
  };
  const app = Fastify();
  t.after(() => app.close());
  app.get("/table", (request, reply) => sendTable(request, reply, { header: ["h"], rows: rows(), fileName: "t.csv" }));
  app.get("/archive", (request, reply) => sendArchive(request, reply, { make, fileName: "a.zip" }));
  for (const [url, body] of [
    ["/table", "h\na\n"],
    ["/archive", "zip"],
  ] as const) {
    const before = [read, made];
    const head = await app.inject({ method: "HEAD", url });
    assert.deepEqual([head.statusCode, head.body, read, made], [200, "", ...before]);
    const get = await app.inject({ method: "GET", url });
    assert.deepEqual([get.body, read], [body, before[0]! + 1]);
    assert.equal(head.headers["content-disposition"], get.headers["content-disposition"]);
  }
});
