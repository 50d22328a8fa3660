import type { Mutant } from "./mutant.ts";

const RECOVERY = "src/operations/sending/recover-attempts.ts";
const LEDGER = "test/integration/sending/ledger.test.ts";

/** Each text leaves once, also after a crash or a restore. */
export const OF_SENDING: readonly Mutant[] = [
  {
    id: "blind-resend",
    breaks: "an attempt in doubt is sent again without a look-up",
    file: RECOVERY,
    from: "const found = taken?.get(ref);",
    to: "const found = undefined as FoundText | undefined;",
    suites: [LEDGER, "simulation"],
  },
  {
    id: "doubt-is-sent-again",
    breaks: "what no carrier can know is sent again and not held for a person",
    file: RECOVERY,
    from: ': { ref, state: "held" as const, carrierId: null, errorCode: "no_word_from_carrier" };',
    to: ': { ref, state: "not_sent" as const, carrierId: null, errorCode: null, dueAt: now };',
    suites: [LEDGER],
  },
  {
    id: "dead-nodes-forgotten",
    breaks: "what a dead node had in flight is never doubted",
    file: RECOVERY,
    from: "const lost = await nodes.markLost(tx, now);",
    to: "const lost = (await nodes.markLost(tx, now)).slice(0, 0);",
    suites: [LEDGER],
  },
  {
    id: "receipts-lower",
    breaks: "a late receipt lowers a message",
    file: "src/store/messaging/attempts.ts",
    from: "and ($8::jsonb ->> old.new)::int > ($8::jsonb ->> old.state)::int",
    to: "and ($8::jsonb ->> old.new)::int <> ($8::jsonb ->> old.state)::int",
    suites: [LEDGER, "simulation"],
  },
  {
    id: "two-live-attempts",
    breaks: "the database lets a message have two live attempts",
    file: "src/store/migrations/0002-sending.sql",
    from: "create unique index attempts_live on attempts (tenant_id, message_id)",
    to: "create index attempts_live on attempts (tenant_id, message_id)",
    suites: [LEDGER],
  },
  {
    id: "fence-without-evidence",
    breaks: "the restore fence goes down though journals are missing",
    file: "src/operations/restore/lift-fence.ts",
    from: "if (account.missing.length > 0 && !lift.acceptMissing) return account;",
    to: "",
    suites: ["test/integration/restore/restored-words.test.ts"],
  },
];
