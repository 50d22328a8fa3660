import pg from "pg";
import type { Secrets } from "./cluster.ts";

export type Addresses = { readonly url: string; readonly adminUrl: string };

export const addressesOf = (port: number, secrets: Secrets): Addresses => ({
  url: `postgres://parley:${secrets.password}@127.0.0.1:${port}/parley?sslmode=disable`,
  adminUrl: `postgres://postgres:${secrets.adminPassword}@127.0.0.1:${port}/postgres?sslmode=disable`,
});

/** SQLSTATEs: the server is starting or stopping; no such role, or another password; no such database. */
const NOT_NOW = ["57P01", "57P03", "ECONNREFUSED", "ECONNRESET"];
const NOT_SET_UP = ["28P01", "3D000"];

/**
 * Opens a session as the service would, and so proves that this is our cluster (the login proves that both sides
 * know the password) and that it is set up, which it does on the first start (`isNew` only spares the server's
 * log a failed login). Returns the server's version; undefined when the server is just starting or stopping.
 * Throws when it cannot be had.
 */
export async function serves(addresses: Addresses, secrets: Secrets, isNew: boolean): Promise<string | undefined> {
  try {
    if (isNew) await setUp(addresses.adminUrl, secrets);
    return await versionAt(addresses.url).catch(async (error: unknown) => {
      if (!isOneOf(NOT_SET_UP, error)) throw error;
      await setUp(addresses.adminUrl, secrets);
      return versionAt(addresses.url);
    });
  } catch (error) {
    if (isOneOf(NOT_NOW, error)) return undefined;
    throw new Error(`The embedded PostgreSQL cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

async function versionAt(url: string): Promise<string> {
  return withSession(url, async (client) => {
    const { rows } = await client.query<{ server_version: string }>("show server_version");
    return rows[0]!.server_version;
  });
}

/**
 * Makes the role and the database of the service. A start that died in between is completed by the next. The
 * role owns its database, so that it can migrate it, and has no power over the cluster: a hole in the service
 * must not be one in the machine, which a superuser's `copy ... to program` is.
 */
async function setUp(adminUrl: string, secrets: Secrets): Promise<void> {
  await withSession(adminUrl, async (client) => {
    // Two starters at once would trip over each other's half-made role.
    await client.query("select pg_advisory_lock(1)");
    const attributes = `login nosuperuser nocreatedb nocreaterole noreplication password '${secrets.password}'`;
    await unlessItExists(client.query(`create role parley ${attributes}`));
    await client.query(`alter role parley ${attributes}`);
    // What it works as: no owner of the tables, so that it can neither pass nor change their row security.
    await unlessItExists(client.query("create role parley_app nologin nosuperuser nobypassrls"));
    await client.query("grant parley_app to parley");
    await unlessItExists(client.query("create database parley owner parley"));
  });
}

/** duplicate_object (a role), duplicate_database. */
async function unlessItExists(statement: Promise<unknown>): Promise<void> {
  await statement.catch((error: unknown) => {
    if (!isOneOf(["42710", "42P04"], error)) throw error;
  });
}

async function withSession<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: "parley-start",
  });
  // A server that stops meanwhile says so as an event too; the query fails as well.
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

function isOneOf(codes: readonly string[], error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && codes.includes(code);
}
