import type { CallingWindows } from "#domain/compliance/calling-window.ts";
import type { Broken } from "./run.ts";

const ALWAYS_OPEN: CallingWindows = () => ({ open: true, until: new Date(8.64e15) });

type Break = { title: string; takesTwice?: true; broken?: Broken; found: RegExp; showsIn: number };

/**
 * Each promise, a service that breaks it, and how that is found out. Not the service's doing: what the promises are measured by is. `showsIn`
 * is a seed that has the moment, as the service is now: it only saves the search. Where it shows no more the test says which seed it shows in.
 */
export const BREAKS: readonly Break[] = [
  { title: "a carrier that takes texts twice", takesTwice: true, found: /was taken 2 times/, showsIn: 1 },
  {
    title: "a claim that does not see opt-outs",
    broken: {
      statements: {
        "claim-consents": (text) =>
          text.replace(
            "select phone, opted_out_at, doubted_at, bases, deactivated_at, false",
            "select phone, null::timestamptz as opted_out_at, doubted_at, bases, deactivated_at, false",
          ),
      },
    },
    found: /after its opt-out/,
    showsIn: 4,
  },
  {
    title: "a claim that does not see pauses and deletes",
    broken: { statements: { "claim-campaigns": (text) => text.replace("campaign.status,", "'active' as status,") } },
    found: /which is stopped/,
    showsIn: 8,
  },
  {
    title: "a gate without hours",
    broken: { context: { callingWindows: ALWAYS_OPEN } },
    found: /outside its window/,
    showsIn: 1,
  },
  {
    title: "receipts that are not written down",
    broken: {
      statements: { "record-receipts": (text) => text.replace("old.new)::int > (", "old.new)::int > 9 + (") },
    },
    found: /after the receipt/,
    showsIn: 1,
  },
  {
    title: "receipts that lower a message",
    broken: { statements: { "record-receipts": (text) => text.replace("old.new)::int > (", "old.new)::int <> (") } },
    found: /after the receipt|is failed after|is sent after/,
    showsIn: 3,
  },
  {
    title: "counts that are not kept",
    broken: {
      statements: {
        "settle-attempts": (text) => text.replace("'pending', sum(", "'pending', 2 * sum("),
      },
    },
    found: /^#\d+ campaign .* counts/m,
    showsIn: 1,
  },
  {
    title: "attempts that nobody settles",
    broken: {
      statements: {
        "settle-attempts": (text) => text.replace("else '{sending}' end", "else '{sent}' end"),
      },
    },
    found: /stays sending/,
    showsIn: 2,
  },
  {
    title: "texts of contacts that are acknowledged and not kept",
    broken: {
      statements: {
        "insert-inbound-texts": (text) => text.replace("order by carrier, carrier_id", "where false"),
      },
    },
    found: /is not stored/,
    showsIn: 1,
  },
  {
    title: "a service that suppresses everybody",
    broken: {
      statements: {
        "claim-do-not-call": () =>
          "select phone, '00000000-0000-0000-0000-000000000000'::uuid as organization_id from unnest($2::text[]) as phone where $1::uuid is not null",
      },
    },
    found: /suppressed by do_not_call, and nothing in this run is the cause/,
    showsIn: 1,
  },
  {
    title: "a START that is not obeyed",
    broken: {
      statements: {
        "clear-opt-out": (text) => text.replace("set opted_out_at = null", "set opted_out_at = opted_out_at"),
      },
    },
    found: /said start last and is out/,
    showsIn: 8,
  },
  {
    title: "an opt-out that the witness does not see",
    broken: {
      statements: {
        "settle-attempts": (text) =>
          text.replace(
            /^\s*with /,
            "with gone as (update consents set opted_out_at = $7 where tenant_id = $1 and opted_out_at is null), ",
          ),
      },
    },
    found: /the witness has not seen every opt-out/,
    showsIn: 7,
  },
  {
    title: "recipients that are given up though they were reached",
    broken: {
      statements: {
        "move-threads": (text) =>
          text.replace(
            "set state = old.new,",
            "set state = case old.new when 'delivered' then 'skipped' else old.new end,",
          ),
      },
    },
    found: /^#\d+ recipient .* is skipped, its starting message delivered/m,
    showsIn: 1,
  },
  {
    title: "a claim that waits for others' threads, who wait for its lane",
    broken: { statements: { "hold-threads": (text) => text.replace("skip locked", "") } },
    // In one run of a hundred.
    found: /a deadlock: /,
    showsIn: 130,
  },
];
