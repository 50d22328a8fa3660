import assert from "node:assert/strict";
import { test } from "node:test";
import { pocketsphinxInstalled } from "#adapters/offline-speech/speech-to-text.ts";
import { CODECS, type Codec } from "#adapters/sip-messages/formats.ts";
import { decodeUlaw, encodeUlaw, FRAME_SAMPLES } from "#domain/calls/g711.ts";
import { createResampler, outputRoom } from "#domain/calls/resample.ts";
import type { Owner } from "#test/support/processes/processes.ts";
import { heldAgain } from "#test/support/processes/standstill.ts";
import { BARESIP_CODECS, baresip } from "./baresip.ts";
import { aCall, anAgent, type Sound, until } from "./parley.ts";
import { missing } from "./programs.ts";
import { joined, recognised, spokenWide, wordErrors, wordsOf } from "./recognised.ts";

/** As people and agents speak on the telephone, without names and numbers that a dictionary lacks. */
const SENTENCES = [
  "Good morning, I am calling about the appointment that you made for next week.",
  "Would the afternoon be better for you, or do you want to come in the morning?",
  "Yes, that is fine with me, thank you very much for asking.",
  "Please call me again when you know what the price of the new house will be.",
  "I do not have the time to talk right now because I am driving home from work.",
];
const SAID = SENTENCES.flatMap(wordsOf);
/** Of what is understood of the undisturbed sound; more than chance in a text of this length, and less than a codec that is broken. */
const MORE_ERRORS = 0.2;
/** Its recorder writes the last of it when the call is over. */
const RECORDED_WITHIN_MS = 5_000;

const atTelephoneRate = (wide: Int16Array): Int16Array => {
  const narrow = new Int16Array(outputRoom(wide.length, 16_000, 8_000));
  return narrow.slice(0, createResampler(16_000, 8_000)(wide, narrow));
};

const isWide = (codec: Codec): boolean => codec === "opus" || codec === "G722";

/** What came, in its order: in the telephone's band, or all of it. */
function heardBy({ heard, heardWide }: Sound, codec: Codec): Int16Array {
  const inOrder = <T>(packets: ReadonlyMap<number, T>) =>
    [...packets.entries()].toSorted(([a], [b]) => ((a - b) << 16) >> 16).map(([, packet]) => packet);
  if (isWide(codec)) return joined(inOrder(heardWide));
  const bytes = Buffer.concat(inOrder(heard));
  const samples = new Int16Array(bytes.length);
  decodeUlaw(bytes, samples);
  return samples;
}

type Heard = { codec: Codec; byUs: Int16Array; byThem: Int16Array };

/** A call in one codec in which both sides speak all sentences at once. */
async function spokenOver(owner: Owner, codec: Codec, wide: Int16Array, narrow: Int16Array): Promise<Heard> {
  const source = isWide(codec) ? { source: wide, sourceRate: 16_000 as const } : { source: narrow };
  const phone = await baresip(owner, { ...source, codecs: [BARESIP_CODECS[codec]] });
  const agent = await anAgent(owner, { port: phone.port });
  const { call, events, sound } = await aCall(owner, agent, { to: "phone" }, false, CODECS);
  await until(() => events.includes("answered"), "answered");
  const coded = new Uint8Array(narrow.length);
  encodeUlaw(narrow, coded);
  await sound.say(coded);
  await until(() => sound.heard.size * FRAME_SAMPLES >= narrow.length, "all of theirs");
  call.hangup();
  await until(() => phone.events.some(({ type }) => type === "CALL_CLOSED"), "the telephone knows");
  await until(() => phone.heard().length >= narrow.length - 4_000, "its recording", RECORDED_WITHIN_MS);
  return { codec, byUs: heardBy(sound, codec), byThem: phone.heard() };
}

test("a recogniser understands about as much over each codec as of the undisturbed sound", {
  skip: missing("baresip") || (!pocketsphinxInstalled() && "pocketsphinx is missing"),
}, async (t) => {
  const wide = spokenWide(SENTENCES);
  const narrow = atTelephoneRate(wide);
  const wrong = async (sound: Int16Array, rate: 8_000 | 16_000) => wordErrors(SAID, await recognised(sound, rate));
  const undisturbed = { wide: await wrong(wide, 16_000), narrow: await wrong(narrow, 8_000) };
  const show = (what: string, us: number, them: number) =>
    t.diagnostic(`| ${what} | ${(100 * us).toFixed(1)} % | ${(100 * them).toFixed(1)} % |`);
  t.diagnostic(`| of ${SAID.length} words, wrong | heard by us | heard by them |`);
  show("undisturbed, 16 kHz", undisturbed.wide, undisturbed.wide);
  show("undisturbed, 8 kHz", undisturbed.narrow, undisturbed.narrow);
  await heldAgain(t, async (owner) => {
    const calls = await Promise.all(CODECS.map((codec) => spokenOver(owner, codec, wide, narrow)));
    for (const { codec, byUs, byThem } of calls) {
      const ours = await wrong(byUs, isWide(codec) ? 16_000 : 8_000);
      // Our voice has the telephone's band in every codec.
      const theirs = await wrong(byThem, 8_000);
      show(codec, ours, theirs);
      const best = isWide(codec) ? undisturbed.wide : undisturbed.narrow;
      assert.ok(ours <= best + MORE_ERRORS, `we understand ${codec}: ${ours} wrong, undisturbed ${best}`);
      assert.ok(theirs <= undisturbed.narrow + MORE_ERRORS, `they understand ${codec}: ${theirs} wrong`);
    }
  });
});
