import { HostNotPublic, NOT_PUBLIC_REMEDY, type TenantHosts } from "#adapters/carrier-addresses/tenant-hosts.ts";
import { codeOf, meaningOf } from "#adapters/smpp-pdus/status.ts";
import type {
  CarrierAccount,
  CarrierCheck,
  CarrierDriver,
  CarrierNumber,
  OpenCarrier,
} from "#ports/carrier-account.ts";
import { CarrierProblem, failedCheck, LENT } from "#ports/carrier-account.ts";
import type { SessionEvents } from "#ports/carrier-session.ts";
import { smppCarrier } from "./carrier.ts";
import { smppInbound } from "./inbound.ts";
import { BindRefused, LINK_TIMES, Link, type LinkParts, type LinkTimes } from "./link.ts";
import { pace } from "./pace.ts";
import { smppSession } from "./session.ts";
import { readSettings } from "./settings.ts";

const VERSIONS = { "3.4": 0x34, "5.0": 0x50 } as const;
/** A bind that is refused since the account is bound already: by the process that has its session, most likely. */
const ALREADY_BOUND = 0x05;

type Parts = {
  now(): Date;
  random(): number;
  hosts: TenantHosts;
  log: { warn(data: Record<string, unknown>, message: string): void };
  times?: LinkTimes;
};

/** Accounts with SMPP gateways. Nothing is connected until the session is started by the process that owns it. */
export function smppDriver(parts: Parts): CarrierDriver {
  return {
    kind: "smpp",
    identity: ["credentials.system_id"],
    places: [],
    hasSession: true,
    problems: (account) => readSettings(account, parts.hosts).problems,
    open: (account) => openSmpp(account, parts),
  } satisfies CarrierDriver;
}

function openSmpp(account: CarrierAccount, { now, random, hosts, log, times = LINK_TIMES }: Parts): OpenCarrier {
  const { settings, credentials } = readSettings(account, hosts);
  const { carrier: name, tenantId } = account;
  const warn = (facts: Record<string, unknown>, words: string) => log.warn({ carrier: name, ...facts }, words);
  let events: SessionEvents | undefined;
  /** Counts starts and stops: a start that reads the latest texts still may have been taken back. */
  let turn = 0;
  const inbound = smppInbound({
    tenantId,
    carrier: name,
    events: () => events!,
    receiptIds: settings.receiptIds,
    defaultAlphabet: settings.encoding === "latin1" ? "latin1" : "gsm",
    now,
    log: warn,
  });
  const link: Omit<LinkParts, "bind"> = {
    host: settings.host,
    port: settings.port,
    hosts,
    tls: settings.tls ? { ca: settings.ca } : undefined,
    fields: {
      system_id: credentials.systemId,
      password: credentials.password,
      system_type: settings.systemType,
      interface_version: VERSIONS[settings.version],
      addr_ton: 0,
      addr_npi: 0,
      address_range: "",
    },
    times,
    deliver: inbound.deliver,
    late: (sequence, answer) => sms.late(sequence, answer),
  };
  const session = smppSession({
    bind: settings.bind,
    link,
    random,
    log: (facts, words) => {
      inbound.ended();
      warn(facts, words);
    },
  });
  const sms = smppCarrier({
    name,
    settings,
    session,
    pace: pace({ most: settings.window, perSecond: settings.perSecond }),
    receipt: (of, carrier, receipt) => {
      events?.receipts(of, carrier, [receipt]).catch((err) => warn({ err }, "a late answer could not be recorded"));
    },
  });

  const end = (withinMs?: number): Promise<void> => {
    turn++;
    return session.stop(withinMs);
  };

  /** Binds once, to see whether the gateway knows the account. Undefined when it does. */
  async function tryBind(): Promise<CarrierProblem | undefined> {
    if (session.transmitter()) return undefined;
    const bind = settings.bind === "trx" ? "bind_transceiver" : "bind_transmitter";
    // Whoever has the session takes in what the gateway delivers meanwhile: here it is not kept, and comes again.
    const one = new Link({ ...link, bind, deliver: () => Promise.reject(new Error("not here")), late: () => {} });
    try {
      await one.bound;
      await one.unbind();
      return undefined;
    } catch (error) {
      return problemOf(error as Error, settings);
    }
  }

  return {
    sms,
    session: {
      start(given) {
        events = given;
        const mine = ++turn;
        given
          .recent(tenantId, name, new Date(now().getTime() - RECENT_MS))
          .then(inbound.remember, (err) => warn({ err }, "the latest texts could not be read"))
          .then(() => mine === turn && session.start());
      },
      stop: end,
      problem: session.problem,
      refused: () => {
        const status = session.refused();
        return status === undefined ? undefined : codeOf(status);
      },
    },
    async numbers() {
      const problem = await tryBind();
      if (problem) throw problem;
      return settings.senders.map(
        (phone): CarrierNumber => ({ phone, capabilities: { sms: true, mms: false, voice: false }, carrierId: null }),
      );
    },
    // A gateway has nothing to be set up from here: texts and receipts come over the session.
    preview: async () => ({ changes: [], missing: [] }),
    apply: async () => ({ changes: [], missing: [] }),
    async check(): Promise<CarrierCheck[]> {
      const problem = await tryBind();
      return [
        problem ? failedCheck("credentials", problem) : { name: "credentials", ok: true, problem: null, remedy: null },
        {
          name: "tls",
          ok: settings.tls,
          problem: settings.tls ? null : "The password and all texts travel unencrypted",
          remedy: settings.tls ? null : "Set tls, or reach the gateway over a private network",
        },
      ];
    },
    // Over the one session: who has the number is who is texted, and whose its receipts are.
    lend: ({ carrier }) => ({ ...LENT, sms: sms.as(carrier) }),
    close: () => end(),
  };
}

/** What another process took in this shortly before may be delivered again. */
const RECENT_MS = 120_000;

function problemOf(
  error: Error,
  { host, port, tls }: { host: string; port: number; tls: boolean },
): CarrierProblem | undefined {
  if (error instanceof HostNotPublic) {
    return new CarrierProblem(`The gateway ${host} is at no public address: nothing was sent to it`, {
      code: error.code,
      remedy: NOT_PUBLIC_REMEDY,
    });
  }
  if (!(error instanceof BindRefused)) {
    return new CarrierProblem(`The gateway at ${host}, port ${port}, cannot be reached: ${error.message}`, {
      code: (error as { code?: string }).code ?? "not_connected",
      remedy: `Check host and port, whether the gateway expects ${tls ? "no TLS" : "TLS"}, and that it allows this service's address`,
    });
  }
  const { status } = error;
  if (status === ALREADY_BOUND) return undefined;
  const isCredentials = meaningOf(status).class === "account";
  return new CarrierProblem(`The gateway refuses the bind: ${meaningOf(status).words} (${codeOf(status)})`, {
    code: codeOf(status),
    account: isCredentials ? "refused" : undefined,
    remedy: isCredentials
      ? "Check system_id, password and system_type, and that the gateway allows this service's address and kind of bind"
      : "Try again later, or ask the gateway's operator",
  });
}
