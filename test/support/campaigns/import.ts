import assert from "node:assert/strict";
import type { Owner } from "#test/support/accounts/owner.ts";
import { type Answer, type Parley, until } from "#test/support/api/parley.ts";

type Api = Pick<Parley, "get" | "url" | "key">;
type Fields = Record<string, string>;

/** Sends a file with form fields, as a browser does. */
export async function sendFile(
  api: Api,
  file: string | Uint8Array,
  fields: Fields,
  more: { name?: string; headers?: Fields } = {},
): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", new Blob([file as Uint8Array<ArrayBuffer>]), more.name ?? "people.csv");
  const headers = { "x-api-key": api.key, ...more.headers };
  const response = await fetch(`${api.url}/v1/contacts/imports`, { method: "POST", headers, body: form });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Waits until an import is in one of these states, and answers with it. */
export function importIs(api: Api, importId: string, statuses: readonly string[], withinMs = 60_000) {
  const look = async () => {
    const { body } = await api.get(`/v1/contacts/imports/${importId}`);
    return statuses.includes(body.import?.status) && body.import;
  };
  return until(`the import is ${statuses.join(" or ")}`, look, withinMs);
}

/** Imports a file to its end, and answers with the import. */
export async function importFile(
  api: Api,
  owner: Owner,
  file: string | Uint8Array,
  fields: Fields = {},
  name?: string,
) {
  const { status, body } = await sendFile(api, file, { ...owner, ...fields }, name ? { name } : {});
  assert.equal(status, 202, JSON.stringify(body));
  return importIs(api, body.import.import_id, ["completed", "failed"]);
}

/** The four counts of an import: [created, updated, skipped, failed]. */
export const countsOf = (fileImport: Record<string, number>): number[] => [
  fileImport.created!,
  fileImport.updated!,
  fileImport.skipped!,
  fileImport.failed!,
];

/** The contacts of an import's list, by phone. */
export async function contactsOf(api: Api, fileImport: { list_id: string }): Promise<Map<string, Fields>> {
  const { body } = await api.get(`/v1/contacts/lists/${fileImport.list_id}/leads?limit=500`);
  return new Map(body.leads.map((lead: Fields) => [lead.phone_number, lead]));
}
