import { carrierSessions } from "#app/process/carrier-sessions.ts";
import { sessionLocks } from "#store/system/session-locks.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import type { Engine, PeerRow, Report, Wrong } from "#test/support/carriers/peer.ts";
import { until } from "#test/support/time/until.ts";
import { receiptOf, type Submitted, smppGateway, textOf } from "./gateway.ts";

const STATES: Record<Report, string> = { sent: "ENROUTE", delivered: "DELIVRD", undelivered: "UNDELIV" };
const THROTTLED = 0x58;
/** Of no table: gateways have some of their own. */
const UNKNOWN_CODE = 0x0449;
const SYSTEM_ERROR = 0x08;
const WRONG_PASSWORD = 0x0e;

/** An answer of the right number that nobody can read: its body is cut in the middle. */
function unreadable(sequence: number): Buffer {
  const bytes = Buffer.alloc(17, 0x41);
  bytes.writeUInt32BE(17, 0);
  bytes.writeUInt32BE(0x80000004, 4);
  bytes.writeUInt32BE(0, 8);
  bytes.writeUInt32BE(sequence, 12);
  return bytes;
}

/** What phones got, each long text as one. */
export function whole(submitted: readonly Submitted[]): { to: string; text: string }[] {
  const texts = new Map<string, { to: string; text: string }>();
  for (const [i, part] of submitted.entries()) {
    const key = part.header.length === 0 ? `${i}` : `${part.to} ${part.header.subarray(0, -1).toString("hex")}`;
    const text = (texts.get(key)?.text ?? "") + textOf(part);
    texts.set(key, { to: `+${part.to}`, text });
  }
  return [...texts.values()];
}

export const smppRow: PeerRow = {
  name: "SMPP",
  async start(t) {
    const wrongs = new Map<string, Wrong[]>();
    const current = new Map<string, Wrong | undefined>();
    let password = "secret";
    const gateway = await smppGateway(t, {
      bindStatus: (login) => (login.password === password ? 0 : WRONG_PASSWORD),
      status(_, text) {
        const wrong = wrongs.get(text.to)?.shift();
        current.set(text.to, wrong);
        if (wrong === "receipt_first") void gateway.deliver(receiptOf(text, { state: "DELIVRD" }));
        return { rate_limited: THROTTLED, unknown_code: UNKNOWN_CODE, error: SYSTEM_ERROR }[wrong as string] ?? 0;
      },
      reset: (_, { to }) => ["taken_then_reset", "error"].includes(current.get(to) ?? ""),
      raw: (_, { to }, sequence) => (current.get(to) === "taken_then_error" ? unreadable(sequence) : undefined),
    });
    return {
      hosts: {},
      open(engine: Engine) {
        const sessions = carrierSessions({
          ctx: engine.ctx,
          openLocks: (lost) => sessionLocks(engine.databaseUrl, engine.ctx.newId(), lost),
        });
        t.after(() => sessions.stop());
        const problems = () => [...sessions.problems().values()];
        const isConnected = () => problems().includes(undefined);
        const isRefused = () => problems().some((problem) => problem?.includes("refuses the bind"));
        const connected = async () => {
          await until("the session is connected, or refused, and then given up", async () => {
            await sessions.keep();
            return isConnected() || isRefused() || problems().length === 0;
          });
        };
        const brought = new Set<string>();
        let turn = Promise.resolve();
        const bring = async (from: string, text: string, id: string) => {
          if (brought.has(id)) {
            // It is brought again only where it is not sure that its answer arrived.
            gateway.reset();
            await until("the session has ended", async () => !isConnected());
          }
          await connected();
          brought.add(id);
          const addresses = { source_addr: from.slice(1), source_addr_ton: 1, destination_addr: SENDER.slice(1) };
          await gateway.deliver({ ...addresses, dest_addr_ton: 1, short_message: text });
        };
        return {
          sender: SENDER,
          account: {
            kind: "smpp",
            credentials: { system_id: "parley", password },
            settings: { host: "127.0.0.1", port: gateway.port, per_second: 1_000, window: 100, senders: [SENDER] },
          },
          connected,
          taken: async () => whole(gateway.submitted),
          async behave(phone, wrong) {
            if (wrong === "opted_out") return "a gateway has no word for it: a STOP comes in as a text";
            wrongs.set(phone.slice(1), [wrong]);
            return undefined;
          },
          async report(phone, status, times = 1) {
            await connected();
            const text = gateway.submitted.findLast(({ to }) => `+${to}` === phone)!;
            for (let n = 0; n < times; n++) {
              await gateway.deliver(receiptOf(text, { state: STATES[status], tlvs: true }));
            }
          },
          receive(from, text, id) {
            turn = turn.then(() => bring(from, text, id));
            return turn;
          },
          forge: async () => "nothing comes in but over the session that it has opened itself",
          async changeCredentials() {
            await connected();
            password = "another";
            gateway.reset();
            await until("the bind is refused", async () => isRefused());
            return { system_id: "parley", password };
          },
        };
      },
    };
  },
};
