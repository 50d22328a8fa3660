export type Mutant = {
  id: string;
  /** What is broken, and what it would cost. */
  breaks: string;
  file: string;
  /** Stands in the file once, so that it is plain what was broken. */
  from: string;
  to: string;
  /** Test files of which at least one has to fail; `simulation` is seeds of that. */
  suites: readonly string[];
};

const GATE = "src/domain/gate.ts";
const SCREENING = "test/integration/screening.test.ts";
const RECOVERY = "src/operations/recover-attempts.ts";
const STOPS = "test/integration/stops-and-pauses.test.ts";
const LINEAR = "test/regexps-in-tree.test.ts";
const STRANGERS = "src/adapters/carriers/sip/strangers.test.ts";
const LEDGER = "test/integration/ledger.test.ts";
const REPLY = "src/operations/reply-to-thread.ts";
const MODEL_AWAY = "src/operations/reply-to-thread/model-away.ts";
const LATE_ANSWERS = "test/integration/late-answers.test.ts";
const SIGN_IN_LIMIT = "test/acceptance/sign-in-limit.test.ts";

/** The promises, each broken by one edit as somebody might make it. */
export const MUTANTS: readonly Mutant[] = [
  {
    id: "gate-opted-out",
    breaks: "the gate does not look at opt-outs",
    file: GATE,
    from: 'if (consent.optedOutAt !== null && purpose !== "help") return OPTED_OUT;',
    to: "",
    suites: ["src/domain/gate.test.ts", STOPS],
  },
  {
    id: "gate-do-not-call",
    breaks: "the gate does not look at do-not-call lists",
    file: GATE,
    from: "if (consent.doNotCall) return DO_NOT_CALL;",
    to: "",
    suites: ["src/domain/gate.test.ts", "test/acceptance/opt-out.test.ts"],
  },
  {
    id: "organizations-list-unheeded",
    breaks: "only what holds for all organizations counts of a do-not-call list",
    file: "src/store/gate-facts.ts",
    from: "entry === NO_ID || entry === organizationId;",
    to: "entry === NO_ID;",
    suites: [SCREENING],
  },
  {
    id: "organizations-list-for-all",
    breaks: "one organization's do-not-call list keeps others back",
    file: "src/store/gate-facts.ts",
    from: "organizationId === undefined || entry === NO_ID || entry === organizationId;",
    to: "organizationId !== undefined || entry === NO_ID;",
    suites: [SCREENING],
  },
  {
    id: "gate-hours",
    breaks: "a closed window lets through",
    file: GATE,
    from: 'if (!hours.open) return { outcome: "held", until: hours.opensAt, rule: hours.rule };',
    to: "",
    suites: ["src/domain/gate.test.ts", "simulation"],
  },
  {
    id: "window-off-by-one",
    breaks: "the moment at which a window closes is still within it",
    file: "src/domain/calling-window.ts",
    from: "timeline[i]!.from <= at",
    to: "timeline[i]!.from < at",
    suites: ["src/domain/calling-edges.test.ts"],
  },
  {
    id: "gate-paused",
    breaks: "a paused campaign goes on",
    file: GATE,
    from: 'if (campaign.status === "paused" && purpose !== "human") return CAMPAIGN_PAUSED;',
    to: "",
    suites: ["src/domain/gate.test.ts", STOPS],
  },
  {
    id: "claim-without-consent-lock",
    breaks: "a claim reads consents and does not hold them: a STOP may commit between",
    file: "src/store/claims.ts",
    from: "     for no key update skip locked)\n   select phone, opted_out_at",
    to: "     )\n   select phone, opted_out_at",
    suites: [STOPS, "test/integration/attempt-caps.test.ts"],
  },
  {
    id: "stop-without-wait",
    breaks: "a STOP does not wait for the text that is on its way",
    file: "src/operations/receive-message.ts",
    from: "      await optOuts.settled(tx, tenantId, [from.phone], ctx.log);\n",
    to: "",
    suites: [STOPS],
  },
  {
    id: "opt-out-without-wait",
    breaks: "an opt-out that an agent understood does not wait for the text that is on its way",
    file: "src/store/opt-outs.ts",
    from: "if (!it.isSettled) await settled(tx, tenantId, [phone], it.log, it.except);",
    to: "",
    suites: [STOPS],
  },
  {
    id: "pause-without-wait",
    breaks: "a pause answers while claimed texts still leave",
    file: "src/store/in-flight.ts",
    from: "const left = await untilNone(() => attempts.inFlightOf(tx, tenantId, campaignId));",
    to: "const left = await attempts.inFlightOf(tx, tenantId, campaignId);",
    suites: [STOPS],
  },
  {
    id: "blind-resend",
    breaks: "an attempt in doubt is sent again without a look-up",
    file: RECOVERY,
    from: "const found = taken.get(ref);",
    to: "const found = undefined as { carrierId: string } | undefined;",
    suites: [LEDGER, "simulation"],
  },
  {
    id: "doubt-is-sent-again",
    breaks: "what no carrier can tell is sent again and not held for a person",
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
    file: "src/store/attempts.ts",
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
    id: "answered-twice",
    breaks: "a turn that another has answered is answered again",
    file: "src/operations/reply-to-thread.ts",
    from: "if (!thread || superseded || !thread.agent_awake) return;",
    to: "if (!thread || !thread.agent_awake) return;",
    suites: ["test/integration/turns.test.ts", "simulation"],
  },
  {
    id: "silence-counts-in-a-transfer",
    breaks: "the silence while a call is put through ends it",
    file: "src/media/call-session.ts",
    from: "const isQuiet = !current && !isTransferring && ",
    to: "const isQuiet = !current && ",
    suites: ["src/media/call-transfer.test.ts"],
  },
  {
    id: "fence-without-evidence",
    breaks: "the restore fence goes down though journals are missing",
    file: "src/operations/lift-fence.ts",
    from: "if (account.missing.length > 0 && !it.acceptMissing) return account;",
    to: "",
    suites: ["test/integration/restored-words.test.ts"],
  },
  {
    id: "tenants-unfenced",
    breaks: "row security shows every tenant's rows",
    file: "src/store/db.ts",
    from: "string => `set local app.tenant = '",
    to: "string => `set local app.tenant = '*'; --",
    suites: ["test/integration/row-security.test.ts"],
  },
  {
    id: "exponential-gesture",
    breaks: "a text of forty signs is read for ever",
    file: "src/domain/opt-out-doubt.ts",
    from: String.raw`/^[\s🛑🚫✋🖕❌🤚⛔\p{M}\p{Emoji_Modifier}]+$/u`,
    to: String.raw`/^(?:[\s🛑🚫✋🖕❌🤚⛔]|\p{M}|\p{Emoji_Modifier}|\ufe0f)+$/u`,
    suites: [LINEAR],
  },
  {
    id: "quadratic-field",
    breaks: "a contact's field of spaces takes the square of its length to render",
    file: "src/domain/template.ts",
    from: "text = oneLine(text)",
    to: String.raw`text = text.replace(/\s*\n\s*/g, " ")`,
    suites: [LINEAR],
  },
  {
    id: "quadratic-via",
    breaks: "a datagram's Via takes the square of its length to read",
    file: "src/adapters/carriers/sip/parse-message.ts",
    from: String.raw`(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(?:\s*:\s*(\d{1,5}))?$/`,
    to: String.raw`(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)\s*(?::\s*(\d{1,5}))?\s*(;.*)?$/s`,
    suites: [LINEAR],
  },
  {
    id: "model-outage-loses-the-reply",
    breaks: "a turn that the model could not answer counts as answered: the contact waits for ever",
    file: REPLY,
    from: "  if (outcome.failure) return putOff(ctx, key, { answering: thread.last_inbound_step!, place }, outcome.failure);\n",
    to: "",
    suites: [LATE_ANSWERS],
  },
  {
    id: "retryable-ignored",
    breaks: "a failure of seconds is not tried again within the turn",
    file: "src/conversation/patience.ts",
    from: "if (!failed.retryable || grownMs === undefined) throw failed;",
    to: "if (failed.retryable || grownMs === undefined) throw failed;",
    suites: ["src/conversation/patience.test.ts", LATE_ANSWERS],
  },
  {
    id: "retry-after-ignored",
    breaks: "a provider is asked again sooner than it has said",
    file: "src/domain/answer-retry.ts",
    from: "Math.max(Math.min(grownMs, LONGEST_WAIT_MS), it.retryAfterMs ?? 0)",
    to: "Math.min(grownMs, LONGEST_WAIT_MS)",
    suites: ["src/domain/answer-retry.test.ts", LATE_ANSWERS],
  },
  {
    id: "late-answer-at-night",
    breaks: "an answer that comes late comes at any hour",
    file: "src/domain/answer-retry.ts",
    from: "const then = hours.open ? at : hours.opensAt;",
    to: "const then = hours.opensAt === null ? null : at;",
    suites: ["src/domain/answer-retry.test.ts", LATE_ANSWERS],
  },
  {
    id: "superseded-reply-is-sent",
    breaks: "an answer to a text that the contact has gone on from leaves all the same",
    file: REPLY,
    from: "const superseded = thread?.last_inbound_step !== answering || thread.answered_step === answering;",
    to: "const superseded = thread?.answered_step === answering;",
    suites: ["test/integration/turns.test.ts"],
  },
  {
    id: "superseded-failure-puts-off",
    breaks: "the failure of an older text puts off the answer to a newer one",
    file: MODEL_AWAY,
    from: "const superseded = thread?.last_inbound_step !== answering || thread.answered_step === answering;",
    to: "const superseded = thread?.answered_step === answering;",
    suites: [LATE_ANSWERS],
  },
  {
    id: "nobody-is-wanted",
    breaks: "after a day without an answer no person is told",
    file: MODEL_AWAY,
    from: "if (at === undefined) thread.person_wanted_at = now;",
    to: "",
    suites: [LATE_ANSWERS],
  },
  {
    id: "passed-on-to-nobody",
    breaks: "a contact reads that the team has its message, and nobody is told",
    file: REPLY,
    from: "thread.person_wanted_at = outcome.needsPerson ? now : null;",
    to: "thread.person_wanted_at = null;",
    suites: [LATE_ANSWERS],
  },
  {
    id: "second-model-not-asked",
    breaks: "where the first model fails the second is not asked",
    file: "src/adapters/language/selection/fallback-model.ts",
    from: "return await ask(second);",
    to: "throw error;",
    suites: ["src/adapters/language/selection/selection.test.ts"],
  },
  {
    id: "breaker-never-opens",
    breaks: "a provider that fails again and again holds up everybody for its time limit",
    file: "src/adapters/language/selection/breaker-model.ts",
    from: "if (breaker.allows()) return;",
    to: "return;",
    suites: ["src/adapters/language/selection/selection.test.ts"],
  },
  {
    id: "call-back-promise-broken",
    breaks: "an agent in trouble promises to call back, and no call is scheduled",
    file: "src/conversation/call-mind.ts",
    from: 'yield { kind: "callback", at: at.toISOString(), quote: wish?.quote ?? lines.troubleCallBack };',
    to: "void at;",
    suites: ["src/conversation/call-mind.test.ts"],
  },
  {
    id: "recitation-let-through",
    breaks: "a model recites its instructions to a contact",
    file: "src/domain/output-gate.ts",
    from: "return rules.instructions !== undefined && recites(text, rules.instructions);",
    to: "return false;",
    suites: ["src/domain/output-gate.test.ts", "src/conversation/turn.test.ts"],
  },
  {
    id: "guesses-counted-after",
    breaks: "a password is looked at first and counted then: many at once are all looked at",
    file: "src/http/login-limit.ts",
    from: `    const waitMs = await this.guesses.takeAll(this.ctx, tries);
    if (waitMs > 0) throw tooManyFailures(Math.ceil(waitMs / 1_000), it.account ? PASSWORDS : LINKS);
    try {
      const done = await work();
      await this.guesses.giveBack(this.ctx, tries);
      return done;
    } catch (error) {
      if (!isWrong(error)) await this.guesses.giveBack(this.ctx, tries);`,
    to: `    try {
      return await work();
    } catch (error) {
      const waitMs = isWrong(error) ? await this.guesses.takeAll(this.ctx, tries) : 0;`,
    suites: [SIGN_IN_LIMIT],
  },
  {
    id: "guesses-of-one-process",
    breaks: "each process counts wrong passwords for itself: with every node there are more",
    file: "src/operations/count-guesses.ts",
    from: ": Buffer => ctx.digest(",
    to: ": Buffer => ctx.digest(process.pid + ",
    suites: [SIGN_IN_LIMIT],
  },
  {
    id: "request-log-flushed",
    breaks: "of a class of requests the newest are kept, whoever made them: a flood pushes out what was before",
    file: "src/store/requests.ts",
    from: "order by place, id desc offset $3)",
    to: "order by id desc offset $3)",
    suites: ["test/integration/request-log.test.ts"],
  },
  {
    id: "stream-of-another-session",
    breaks: "a tab is told what comes by the cookie of somebody else who has signed in meanwhile",
    file: "console/src/api/stream.ts",
    from: "    if (whose !== sessionId) {\n",
    to: "    if (whose === undefined) {\n",
    suites: ["test/console/stream.test.ts"],
  },
  {
    id: "oversized-datagram-read",
    breaks: "a datagram of any length is parsed",
    file: "src/adapters/carriers/sip/door.ts",
    from: "if (bytes > MAX_STRANGERS_BYTES)",
    to: "if (bytes > 65_535)",
    suites: [STRANGERS],
  },
  {
    id: "stranger-answered-over-udp",
    breaks: "an unknown sender of a datagram is answered, wherever that goes",
    file: "src/adapters/carriers/sip/gatekeeper.ts",
    from: "(isUdp && !(isInvite && asksOverUdp))",
    to: "false",
    suites: [STRANGERS],
  },
  {
    id: "no-lockout",
    breaks: "passwords can be guessed for ever",
    file: "src/adapters/carriers/sip/gatekeeper.ts",
    from: "if (its.wrong >= WRONG_PASSWORDS.most)",
    to: "if (its.wrong < 0)",
    suites: [STRANGERS],
  },
  {
    id: "nonce-for-all",
    breaks: "a challenge that one address was given is good at any other, and locks it out",
    file: "src/adapters/carriers/sip/gatekeeper.ts",
    from: ".update(address)",
    to: "",
    suites: [STRANGERS],
  },
  {
    id: "numbers-of-others",
    breaks: "a trunk rings the numbers of another",
    file: "src/adapters/carriers/sip/agent.ts",
    from: "numbers !== undefined && !(uri && numbers.includes(userOf(uri)))",
    to: "false",
    suites: [STRANGERS],
  },
  {
    id: "silent-connections-stay",
    breaks: "a connection that proves nothing stays open",
    file: "src/adapters/carriers/sip/transports.ts",
    from: "if (visit.isProven()) return;",
    to: "if (!visit.isProven()) return;",
    suites: [STRANGERS],
  },
  {
    id: "connections-of-one",
    breaks: "one unknown address takes all connections",
    file: "src/adapters/carriers/sip/door.ts",
    from: "const STRANGERS_CONNECTIONS = { each: 10,",
    to: "const STRANGERS_CONNECTIONS = { each: 200,",
    suites: [STRANGERS],
  },
  {
    id: "rtp-reflected",
    breaks: "sound goes on toward an address that never sent us any",
    file: "src/adapters/carriers/sip/rtp-source.ts",
    from: "history.burstLeft--;",
    to: "",
    suites: ["src/adapters/carriers/sip/rtp-source.test.ts"],
  },
  {
    id: "rtp-before-ack",
    breaks: "a forged INVITE sends sound to whom it names",
    file: "src/adapters/carriers/sip/link.ts",
    from: 'isConfirmed ? "burst" : "heard"',
    to: '"burst"',
    suites: [STRANGERS],
  },
  {
    id: "rtp-from-anybody",
    breaks: "sound is taken from whoever sends it",
    file: "src/adapters/carriers/sip/rtp-source.ts",
    from: "isFrom(packet.address) &&",
    to: "",
    suites: ["src/adapters/carriers/sip/rtp-source.test.ts"],
  },
  {
    id: "framer-copies-all",
    breaks: "a byte at a time over a connection takes the square of the message to take in",
    file: "src/adapters/carriers/sip/framer.ts",
    from: "Buffer.allocUnsafeSlow(bytes * 2)",
    to: "Buffer.allocUnsafeSlow(bytes)",
    suites: ["test/pumped-sip.test.ts"],
  },
];
