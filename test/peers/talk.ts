import assert from "node:assert/strict";
import type { RtpStatistics } from "#adapters/sip-audio/rtp-leg.ts";
import type { SipAgent } from "#adapters/sip-calls/agent.ts";
import type { SrtpSuite } from "#adapters/sip-messages/offer-answer.ts";
import { decodeUlaw, encodeUlaw } from "#domain/calls/g711.ts";
import type { Owner } from "#test/support/processes/processes.ts";
import type { Baresip } from "./baresip.ts";
import { aCall, noise, until } from "./parley.ts";

/** It answers to its account's name alone. */
export const PHONE = { to: "phone" };
/** Its recorder writes the last of it when the call is over. */
const RECORDED_WITHIN_MS = 3_000;
/** The samples that a telephone makes of these bytes. */
function decoded(bytes: Uint8Array): Int16Array {
  const samples = new Int16Array(bytes.length);
  decodeUlaw(bytes, samples);
  return samples;
}

/** Where `part` lies in `whole`; -1 when nowhere. Telephones differ by a step in what the codes of silence and of the loudest mean. */
function find(whole: Int16Array, part: Int16Array): number {
  const isThere = (at: number) =>
    part.every((sample, i) => Math.abs(whole[at + i]! - sample) <= 8 + Math.abs(sample) / 16);
  for (let at = 0; at + part.length <= whole.length; at++) if (isThere(at)) return at;
  return -1;
}

/** Sound that mu-law keeps as it is. */
export const source = decoded(noise(100));

/** A call in which both speak at once for a second: each hears the other, sample for sample. Returns what our leg has counted. */
export async function talk(
  owner: Owner,
  agent: SipAgent,
  phone: Baresip,
  srtp: boolean | SrtpSuite = false,
): Promise<RtpStatistics> {
  const { call, events, sound } = await aCall(owner, agent, PHONE, srtp);
  await until(() => events.includes("answered"), "answered");
  const said = noise(50);
  await sound.say(said);
  await until(() => sound.heard.size > 60, "heard");
  const counted = sound.leg()!.statistics();
  call.hangup();

  const frames = [...sound.heard.entries()].sort(([a], [b]) => a - b).map(([, frame]) => frame);
  const code = new Uint8Array(source.length);
  encodeUlaw(source, code);
  assert.ok(Buffer.from(code).includes(Buffer.concat(frames.slice(10, 50))), "their sound, whole");
  await until(() => phone.events.some(({ type }) => type === "CALL_CLOSED"), "the telephone knows");
  const isWhole = () => find(phone.heard(), decoded(said).subarray(10 * 160, 40 * 160)) >= 0;
  await until(isWhole, "our sound, whole", RECORDED_WITHIN_MS);
  return counted;
}
