import type { Page } from "playwright-core";
import type { Service } from "./service.ts";

type Row = Record<string, unknown>;

/** Every place of the navigation, and a detail of each that has some: paths below /console. */
export async function pathsOf(page: Page, service: Service, organizationId: string): Promise<string[]> {
  const links = page.getByRole("navigation").getByRole("link");
  const places = await links.evaluateAll((all: { href: string }[]) =>
    all.map(({ href }) => new URL(href).pathname.replace(/^\/console/, "")),
  );
  return [...places, ...(await detailsOf(service, organizationId))];
}

async function detailsOf({ get }: Service, organizationId: string): Promise<string[]> {
  /** The path of the best row: the one with most in it, of those that are as `where` says; none where there is no row. */
  const one = async (
    path: string,
    plural: string,
    to: (row: Row) => string,
    where: (row: Row) => boolean = () => true,
  ): Promise<string[]> => {
    const rows = (await get(`${path}?organization_id=${organizationId}&limit=100`))[plural] as Row[];
    const row = rows.find(where) ?? rows[0];
    return row === undefined ? [] : [to(row)];
  };
  const of = (name: string) => (row: Row) => encodeURIComponent(String(row[name]));
  const found = await Promise.all([
    one("/v1/agents", "agents", (row) => `/agents/${of("agent_id")(row)}`),
    one("/v1/agents", "agents", (row) => `/agents/${of("agent_id")(row)}?tab=questions`),
    one("/v1/agents", "agents", (row) => `/agents/${of("agent_id")(row)}?tab=versions`),
    one("/v1/contacts/leads", "leads", (row) => `/contacts?contact=${of("unique_id")(row)}`),
    one("/v1/contacts/lists", "lists", (row) => `/lists/${of("list_id")(row)}`),
    one("/v1/campaigns", "campaigns", (row) => `/sms-campaigns/${of("campaign_id")(row)}`),
    one("/v1/voice/campaigns", "campaigns", (row) => `/voice-campaigns/${of("campaign_id")(row)}`),
    one(
      "/v1/sms/threads",
      "threads",
      (row) => `/conversations/${of("thread_id")(row)}`,
      (row) => row.status === "replied" || row.status === "completed",
    ),
    one(
      "/v1/voice/calls",
      "calls",
      (row) => `/calls/${of("call_id")(row)}`,
      (row) => row.recording_url !== null && row.answered_by === "human",
    ),
    one("/v1/sms/threads", "threads", (row) => `/simulator?phones=${of("phone_number")(row)}`),
    one("/v1/voice/phone-numbers", "phone_numbers", (row) => `/numbers?number=${of("phone_number")(row)}`),
  ]);
  return [
    ...found.flat(),
    "/agents/new",
    "/lists/import",
    "/sms-campaigns/new",
    "/voice-campaigns/new",
    "/numbers/new",
    "/numbers/brands",
    "/do-not-call?view=opt-outs",
    "/developers/requests",
    "/developers/events",
    "/developers/reference",
    "/system/users",
    "/system/activity",
    "/system/account",
  ];
}

/** `/calls/call_1` as "calls-detail", `/agents/new` as "agents-new", `/` as "home". */
export function nameOf(path: string): string {
  const { pathname, searchParams } = new URL(path, "http://console");
  const [place = "", second] = pathname.split("/").filter(Boolean);
  const part = second === undefined ? [...searchParams.keys()][0] : /^[a-z-]+$/.test(second) ? second : "detail";
  const tab = second === undefined ? undefined : searchParams.get("tab");
  return [place || "home", part, tab].filter(Boolean).join("-");
}
