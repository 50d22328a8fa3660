import { connect } from "node:tls";
import { NOT_PUBLIC_REMEDY } from "#adapters/carrier-addresses/tenant-hosts.ts";
import { type Codec, USUAL_CODECS } from "#adapters/sip-messages/formats.ts";
import type { LocalMedia } from "#adapters/sip-messages/offer-answer.ts";
import { type Clock, type Random, systemClock } from "#adapters/sip-transport/clock.ts";
import { locate, OutOfReach, type Resolver } from "#adapters/sip-transport/locate.ts";
import type { Bind, Hop } from "#adapters/sip-transport/transports.ts";
import type { Trunk } from "#adapters/sip-transport/trunk.ts";
import { carrierCause } from "#domain/calls/carrier-cause.ts";
import type { CarrierCheck } from "#ports/carrier-account.ts";
import { createSipAgent, type SipAgent } from "./agent.ts";
import type { CallEnd } from "./call.ts";
import { ladder, lineOf, type Step } from "./ladder.ts";

export type DoctorParts = {
  /** Of an address that is listened at while the check lasts; port 0. */
  bind: Bind;
  random: Random;
  resolver: Resolver;
  clock?: Clock;
  /** A port for the sound of the test call, which nobody listens to. */
  openMedia(codecs: readonly Codec[]): Promise<{ local: LocalMedia; close(): void }>;
  newId(): string;
};

/** OPTIONS and REGISTER over UDP are repeated for 32 s; a trunk that says nothing within this is as good as away. */
const ANSWER_WITHIN_MS = 6_000;
const CALL_RINGS_MS = 20_000;
const CALL_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 20;

/**
 * Finds out whether a trunk would take our calls: its name, its certificate, an answer, the credentials and, where a number is given, one call that is
 * hung up as soon as somebody takes it. Each check says what is wrong and what to change; what came and went is the last one's `ladder`. Never throws.
 */
export async function examine(
  trunk: Trunk,
  parts: DoctorParts,
  call: { from: string; to: string } | undefined,
  signal: AbortSignal,
): Promise<CarrierCheck[]> {
  const checks: CarrierCheck[] = [];
  const hops = await addresses(trunk, parts, checks);
  if (hops.length === 0) return checks;
  if (trunk.transport === "tls") checks.push(await certificate(trunk, hops));
  // Nothing is said to a server that is not who it should be.
  if (checks.some(({ ok }) => !ok)) return checks;
  const clock = parts.clock ?? systemClock;
  const rungs = ladder(() => clock.now());
  let agent: SipAgent | undefined;
  try {
    agent = await createSipAgent({
      // OPTIONS go out at once, and once.
      trunks: [{ ...trunk, keepAliveSeconds: 3_600, maxCalls: 1, callsPerSecond: 1 }],
      bind: parts.bind,
      resolver: parts.resolver,
      random: parts.random,
      log() {},
      trace: rungs.take,
      ...(parts.clock ? { clock: parts.clock } : {}),
    });
    const { steps } = rungs;
    const late = clock.now() + ANSWER_WITHIN_MS;
    await until(clock, signal, () => clock.now() > late || answersTo(steps(), "OPTIONS").length > 0);
    checks.push(answered(trunk, steps()));
    if (trunk.register) {
      const { isRegistered } = agent.trunkState(trunk.name);
      if (!isRegistered)
        await until(clock, signal, () => clock.now() > late || refusedRegister(steps()) || isIn(agent!, trunk));
      checks.push(registered(isIn(agent, trunk), steps()));
    }
    if (call) checks.push(await testCall(agent, trunk, parts, call, clock, signal));
  } catch (error) {
    checks.push(failed("agent", (error as Error).message, "Look at PARLEY_SIP_ADDRESS of this service"));
  } finally {
    await agent?.close();
  }
  const last = checks.pop()!;
  return [...checks, { ...last, ladder: rungs.steps().map(lineOf) }];
}

const isIn = (agent: SipAgent, trunk: Trunk): boolean => agent.trunkState(trunk.name).isRegistered;

const passed = (name: string): CarrierCheck => ({ name, ok: true, problem: null, remedy: null });
const failed = (name: string, problem: string, remedy: string): CarrierCheck => ({ name, ok: false, problem, remedy });

async function addresses(trunk: Trunk, parts: DoctorParts, checks: CarrierCheck[]): Promise<Hop[]> {
  const { host, port } = trunk;
  const servers = trunk.proxies ?? [{ host, ...(port === undefined ? {} : { port }) }];
  const found: Hop[] = [];
  for (const server of servers) {
    const place = {
      ...{ host: server.host, port: server.port, protocol: trunk.transport },
      ...(trunk.mayReach ? { mayReach: trunk.mayReach } : {}),
    };
    const hops = await locate(place, parts.resolver, parts.random).catch((error: unknown) => error);
    if (hops instanceof OutOfReach) {
      // One such server ends the check: nothing is sent to any.
      checks.push(
        failed("address", `${server.host} is at no public address: nothing was sent to it`, NOT_PUBLIC_REMEDY),
      );
      return [];
    }
    const isKnown = Array.isArray(hops);
    if (isKnown) found.push(...(hops as Hop[]));
    if (isKnown && hops.length > 0) continue;
    const problem = isKnown
      ? `The name ${server.host} has no address`
      : `The name service could not say where ${server.host} is`;
    checks.push(failed("address", problem, "Compare host and outbound_proxy with what the provider's page shows"));
  }
  if (checks.length === 0) checks.push(passed("address"));
  return found;
}

/** Whether a TLS server there is who it should be. */
function certificate(trunk: Trunk, hops: readonly Hop[]): Promise<CarrierCheck> {
  const [hop] = hops;
  const name = trunk.proxies?.[0]?.host ?? trunk.host;
  return new Promise((done) => {
    const socket = connect({
      host: hop!.address,
      port: hop!.port,
      servername: /^[\d.:[\]]+$/.test(name) ? "" : name,
      rejectUnauthorized: trunk.tls?.verify ?? true,
      ...(trunk.tls?.ca === undefined ? {} : { ca: trunk.tls.ca }),
    });
    const end = (check: CarrierCheck) => {
      socket.destroy();
      done(check);
    };
    socket.setTimeout(ANSWER_WITHIN_MS, () =>
      end(failed("tls", `${name} does not answer over TLS`, "Check the port: TLS is mostly at 5061")),
    );
    socket.once("secureConnect", () => end(passed("tls")));
    socket.once("error", (error: Error & { code?: string }) => {
      const isCertificate = /CERT|ALTNAME|SELF_SIGNED|ISSUER/.test(error.code ?? "");
      const remedy = isCertificate
        ? "The certificate is not one for this name that a known authority signed: check the host"
        : "Check the port: TLS is mostly at 5061; or use tcp or udp";
      end(failed("tls", error.message, remedy));
    });
  });
}

const answersTo = (steps: readonly Step[], method: string) =>
  steps.flatMap(({ way, message }) =>
    way === "received" && message.kind === "response" && message.method === method && message.status >= 200
      ? [message]
      : [],
  );

function answered(trunk: Trunk, steps: readonly Step[]): CarrierCheck {
  const answers = answersTo(steps, "OPTIONS");
  const last = answers.at(-1);
  if (last === undefined) {
    const remedy = `Check host, port and transport (${trunk.transport}), and that the provider's list of addresses has this service's; some providers never answer OPTIONS`;
    return failed("answer", "Nothing answered OPTIONS", remedy);
  }
  if (last.status !== 503) return passed("answer");
  return failed("answer", carrierCause("503", null)!, "Wait, or ask the provider whether the trunk is switched on");
}

const refusedRegister = (steps: readonly Step[]): boolean =>
  answersTo(steps, "REGISTER").some(({ status }) => status >= 300 && ![401, 407, 423].includes(status)) ||
  answersTo(steps, "REGISTER").filter(({ status }) => status === 401 || status === 407).length > 1;

function registered(isRegistered: boolean, steps: readonly Step[]): CarrierCheck {
  if (isRegistered) return passed("credentials");
  const last = answersTo(steps, "REGISTER").at(-1);
  if (!last)
    return failed("credentials", "Nothing answered REGISTER", "Does the provider take registrations at this host?");
  const cause = carrierCause(String(last.status), last.reason) ?? last.reason;
  return { ...failed("credentials", cause, remedyOf(last.status)), account: "refused" };
}

async function testCall(
  agent: SipAgent,
  trunk: Trunk,
  parts: DoctorParts,
  { from, to }: { from: string; to: string },
  clock: Clock,
  signal: AbortSignal,
): Promise<CarrierCheck> {
  const media = await parts.openMedia(trunk.codecs ?? USUAL_CODECS);
  const ended = Promise.withResolvers<CallEnd>();
  let isAnswered = false;
  const placed = agent.call(
    trunk.name,
    { from, to, callId: parts.newId(), local: media.local, ringMs: CALL_RINGS_MS },
    {
      answered() {
        isAnswered = true;
        placed.hangup();
      },
      ended: ended.resolve,
    },
  );
  const stop = clock.after(CALL_WITHIN_MS, placed.hangup);
  signal.addEventListener("abort", placed.hangup, { once: true });
  const end = await ended.promise;
  stop();
  signal.removeEventListener("abort", placed.hangup);
  media.close();
  // Busy, not answered and declined are said by the phone: the trunk has done its part.
  const isThere = isAnswered || ["dial_busy", "dial_no_answer", "user_declined", "manual_stopped"].includes(end.reason);
  if (isThere && end.cause !== "unreachable") return passed("call");
  const problem = carrierCause(end.status === undefined ? null : String(end.status), end.text) ?? sentence(end.text);
  return failed("call", problem, remedyOf(end.status));
}

const sentence = (text: string): string => `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`;

/** What to change, by the status that refused. */
function remedyOf(status: number | undefined): string {
  switch (status) {
    case undefined:
      return "Check host, port and transport, and that no firewall is in between";
    case 401:
    case 407:
      return "Check username and password; some providers have a pair of their own for each trunk";
    case 402:
      return "Pay in at the provider";
    case 403:
      return "Check with the provider that this service's address, the number that calls, and the country called are allowed on the trunk";
    case 404:
    case 484:
    case 604:
      return "Check the number, and number_format: some providers want digits without a plus";
    case 428:
    case 436:
    case 437:
    case 438:
      return "Ask the provider to sign calls from this trunk";
    case 488:
    case 606:
      return "Check srtp: off, optional or required must suit the provider, and codecs must have one that it speaks";
    case 603:
    case 607:
    case 608:
      return "Call from another number, and have this one's reputation looked into: the callee's side rejected it";
    default:
      return "Ask the provider what they see of this call, with the ladder";
  }
}

/** Waits until it is so, or the signal is aborted. */
async function until(clock: Clock, signal: AbortSignal, isSo: () => boolean): Promise<void> {
  while (!isSo() && !signal.aborted) await new Promise<void>((done) => void clock.after(LOOK_EVERY_MS, done));
}
