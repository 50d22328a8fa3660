import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keyMay } from "#contract/accounts/key-scopes.ts";
import { ROLES, roleMay } from "#contract/accounts/roles.ts";
import type { Operation } from "#contract/values/operation.ts";

// The table of docs/permissions.md, made of the contract: `node scripts/run.mjs scripts/permissions-table.ts` writes it anew.

const root = join(import.meta.dirname, "..");
export const PERMISSIONS_DOC = join(root, "docs", "permissions.md");
const BEGIN = "<!-- the table begins: scripts/permissions-table.ts makes it -->";
const END = "<!-- the table ends -->";

const isOperation = (value: unknown): value is Operation =>
  typeof value === "object" && value !== null && "id" in value && "method" in value && "path" in value;

/** Every operation of the contract, in the order of their ids. */
export async function everyOperation(): Promise<Operation[]> {
  const files = globSync("contract/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
  const modules = await Promise.all(files.map((file) => import(join(root, file))));
  const found = modules.flatMap((module) => Object.values(module)).filter(isOperation);
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}

const yes = (may: boolean): string => (may ? "yes" : "");

function rowOf(operation: Operation): string {
  // One that needs nobody, or somebody signed in whoever it is, has no scope to speak of.
  const scope =
    operation.caller === undefined ? operation.scope : operation.caller === "anyone" ? "(no key)" : "(signed in)";
  const limited =
    operation.caller === undefined &&
    keyMay({ scopes: [operation.scope], isLimited: true }, operation) &&
    operation.scope !== "admin";
  const cells = [
    `\`${operation.method} ${operation.path}\``,
    scope,
    ...ROLES.map((role) => yes(roleMay(role, operation))),
    yes(limited),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** The page with its table as the contract has it. */
export async function permissionsPage(): Promise<string> {
  const page = readFileSync(PERMISSIONS_DOC, "utf8");
  const [before, rest = ""] = page.split(BEGIN);
  const after = rest.split(END)[1] ?? "\n";
  const head = `| Operation | Scope | ${ROLES.join(" | ")} | limited key |\n|${"---|".repeat(ROLES.length + 3)}`;
  const rows = (await everyOperation()).map(rowOf).sort();
  return `${before}${BEGIN}\n\n${head}\n${rows.join("\n")}\n\n${END}${after}`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(PERMISSIONS_DOC, await permissionsPage());
