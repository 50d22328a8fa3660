/** What the stand-in does with one create of a text, and with the webhooks about it. */
export type Behavior = {
  /**
   * - accept: takes it and answers 200.
   * - refuse: an error, and it has not taken it.
   * - lose: takes it, and the answer is lost in the way of `how`.
   * - fail: has not taken it, and the answer is lost in the same way.
   * - malformed: takes it and answers 200 with what is no answer.
   */
  create:
    | { kind: "accept"; afterMs?: number }
    | { kind: "refuse"; status: number; code?: string; title?: string; retryAfter?: string }
    | { kind: "lose" | "fail"; how: "500" | "reset" | "silence" }
    | { kind: "malformed"; body: string };
  /** States that it reports of a text that it has taken, each in a webhook, in this order. */
  reports: readonly Report[];
  /** When: once its answer is written, before it, or on request (`release`). */
  when: "after" | "before" | "on_request";
  /** How often each is sent. */
  times: number;
};

export type Report = { status: string; errors?: readonly { code: string; title: string; detail?: string }[] };

export const DELIVERED: readonly Report[] = [{ status: "sent" }, { status: "delivered" }];

export const WELL: Behavior = { create: { kind: "accept" }, reports: DELIVERED, when: "after", times: 1 };
