import type { Mutant } from "./mutant.ts";

const RECOVERY = "src/operations/sending/recover-attempts.ts";
const MARKS = "test/integration/sending/marks.test.ts";
const MARKING = "src/adapters/smpp-sessions/marking.test.ts";
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
    id: "written-before-its-mark",
    breaks: "a gateway is handed texts whose marks are not committed yet",
    file: "src/adapters/smpp-sessions/carrier.ts",
    from: "if (!(await marks.marked(batch, text, mayStill, batch.carrier)))",
    to: "if (!marks.marked(batch, text, mayStill, batch.carrier))",
    suites: [MARKING],
  },
  {
    id: "mark-not-awaited",
    breaks: "a carrier hears that texts are marked while the mark is still on its way to the database",
    file: "src/operations/sending/hand-over.ts",
    from: "marks.mark(ctx.db, tenantId, claim.nodeId, refs),",
    to: "Promise.resolve((void marks.mark(ctx.db, tenantId, claim.nodeId, refs), new Set(refs))),",
    suites: [MARKS],
  },
  {
    id: "marked-is-sent-again",
    breaks: "what a dead process had marked, and may have written, is sent again",
    file: RECOVERY,
    from: "const marked = group.filter((attempt) => !attempt.unmarked);",
    to: "for (const one of group) one.unmarked = true;\n  const marked: attempts.OpenAttempt[] = [];",
    suites: [MARKS],
  },
  {
    id: "mark-of-another",
    breaks: "a process marks, and sends, what was taken from it and is sent by another",
    file: "src/store/messaging/marks.ts",
    from: "and coalesce(state = 'in_flight' and unmarked, false)",
    to: "and coalesce(unmarked, false)",
    suites: [MARKS],
  },
  {
    id: "marks-trusted-after-a-restore",
    breaks: "a restored database takes what was marked after its backup for unmarked, and sends it again",
    file: "src/store/system/fence.ts",
    from: "where state in ('in_flight', 'uncertain') and unmarked",
    to: "where false and unmarked",
    suites: [MARKS],
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
