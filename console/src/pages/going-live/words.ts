import type { Answer } from "#api/operations.ts";

export type LiveCheck = Answer<"GET /v1/live-checks">["checks"][number];

type Words = { label: string; to?: string; action?: string };

/** What each check is called, and where what it asks for is done. Those without a place are the operator's settings. */
const CHECKS: Readonly<Record<string, Words>> = {
  public_address: { label: "Public address" },
  reachable: { label: "Round trip" },
  carrier: { label: "Carrier", to: "/carriers", action: "Open carriers" },
  sending: { label: "Sending is on" },
  opt_out_text: { label: "How to stop is said", to: "/agents", action: "Open agents" },
  quiet_hours: { label: "Quiet hours" },
  spend_limit: { label: "Spend limit" },
  first_hour: { label: "Slow first hour" },
  do_not_call: { label: "Do not call", to: "/do-not-call", action: "Open the lists" },
  credentials: { label: "Credentials" },
  webhook: { label: "Webhooks" },
  webhooks: { label: "Webhooks" },
  ten_dlc: { label: "10DLC registration" },
  "10dlc_registration": { label: "10DLC registration" },
  toll_free: { label: "Toll-free verification" },
  tls: { label: "Encryption (TLS)" },
};

export function wordsOf({ name, carrier_id, carrier_name }: LiveCheck): Words {
  const known = CHECKS[name];
  const plain = name.replaceAll("_", " ");
  const label = known?.label ?? plain.charAt(0).toUpperCase() + plain.slice(1);
  if (carrier_id === null) return { ...known, label };
  return {
    label: `${label}: ${carrier_name ?? carrier_id}`,
    to: `/carriers?carrier=${encodeURIComponent(carrier_id)}`,
    action: "Open the account",
  };
}

/** "2 things to do before real phones are reached" */
export const summaryOf = (failed: number): string =>
  failed === 0
    ? "All is ready: real phones can be reached."
    : `${failed === 1 ? "1 thing" : `${failed} things`} to do before real phones are reached.`;
