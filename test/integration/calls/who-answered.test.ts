import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { after, test } from "node:test";
import type { Answerer } from "#domain/calls/call.ts";
import { decodeUlaw, encodeUlaw } from "#domain/calls/g711.ts";
import { createWhoAnswered, type Verdict } from "#media/answering/who-answered.ts";
import { loadSilero } from "#media/audio/silero.ts";
import { createSpeechGate } from "#media/audio/speech-gate.ts";
import { createToneDetector, type ToneEvent } from "#media/audio/tones.ts";
import { GREETINGS, joined, speakGreeting } from "#test/support/calls/greetings.ts";
import { tonesOf } from "#test/support/calls/tone-generator.ts";

/** Real speech and sounds of a telephone: Debian's asterisk-core-sounds-en-wav. */
const PROMPTS = "/usr/share/asterisk/sounds/en_US_f_Allison";
/** Of the machines' beeps and the noise of the lines, a few of each. */
const BEEPS = [440, 620, 850, 1_000, 1_000, 1_400, 2_000].map((hz, i) => ({ hz: [hz], ms: 250 + i * 130 }));
const NOISES_DB = [-90, -55, -45];
/** From a word's end until streaming speech-to-text has it. */
const SPEECH_TO_TEXT_MS = 300;

type Case = {
  answerer: Answerer;
  text: string;
  samples: Int16Array;
  words: { word: string; endMs: number }[];
  endMs: number;
  beepEndMs?: number;
};

const silero = await loadSilero();
after(() => silero.close());

let seed = 1;
const random = () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

/** Over a line: noise of a level, and the codec. */
function overLine(samples: Int16Array, noiseDb: number): Int16Array {
  const level = 32_768 * 10 ** (noiseDb / 20) * Math.sqrt(12);
  const noisy = samples.map((sample) =>
    Math.max(-32_768, Math.min(32_767, sample + Math.round((random() - 0.5) * level))),
  );
  const codes = new Uint8Array(noisy.length);
  encodeUlaw(noisy, codes);
  decodeUlaw(codes, noisy);
  return noisy;
}

function makeCases(): Case[] {
  let number = 0;
  return Object.entries(GREETINGS).flatMap(([answerer, greetings]) =>
    greetings.map((parts) => {
      number += 1;
      const { samples, words, endMs } = speakGreeting(parts, number, 150 + (number % 5) * 130);
      const beep = BEEPS[number % BEEPS.length]!;
      const pauseMs = 300 + (number % 4) * 400;
      const isMachine = answerer === "voicemail";
      const tail = isMachine ? [{ hz: [], ms: pauseMs }, beep, { hz: [], ms: 1_500 }] : [{ hz: [], ms: 3_000 }];
      const sound = joined([samples, tonesOf(tail, -12 - (number % 3) * 6)]);
      return {
        answerer: answerer as Answerer,
        text: parts.join(" "),
        samples: overLine(sound, NOISES_DB[number % NOISES_DB.length]!),
        words,
        endMs,
        ...(isMachine ? { beepEndMs: samples.length / 8 + pauseMs + beep.ms } : {}),
      };
    }),
  );
}

type Played = { verdicts: Verdict[]; tones: ToneEvent[] };

/** Plays all at once, as a process does: 20 ms of each, then the windows that are whole. */
async function play(cases: readonly Case[], hasSpeechToText: boolean): Promise<Played[]> {
  let nowMs = 0;
  const calls = cases.map((scenario) => {
    const who = createWhoAnswered();
    const gate = createSpeechGate();
    const stream = silero.open((probability, endMs) => {
      const edge = gate.push(probability, endMs - 32, endMs);
      if (edge === "onset") who.speech(gate.onsetMs());
      if (edge === "offset") who.silence(gate.offsetMs());
    });
    return {
      scenario,
      who,
      stream,
      tones: createToneDetector(),
      said: 0,
      played: { verdicts: [], tones: [] } as Played,
    };
  });
  const longest = Math.max(...cases.map(({ samples }) => samples.length));
  for (let at = 0; at + 160 <= longest; at += 160) {
    nowMs += 20;
    const live = calls.filter(({ scenario }) => at + 160 <= scenario.samples.length);
    for (const { scenario, stream } of live) stream.push(scenario.samples.subarray(at, at + 160));
    await silero.run();
    for (const call of live) {
      const { scenario, who, tones, played } = call;
      const tone = tones.push(scenario.samples.subarray(at, at + 160));
      if (tone) {
        played.tones.push(tone);
        who.tone(tone);
      }
      const said = scenario.words.filter(({ endMs }) => endMs + SPEECH_TO_TEXT_MS <= nowMs);
      if (hasSpeechToText && said.length > call.said) who.words(said.map(({ word }) => word).join(" "));
      call.said = said.length;
      const verdict = who.check(nowMs);
      if (verdict) played.verdicts.push(verdict);
    }
  }
  for (const { stream } of calls) stream.close();
  return calls.map(({ played }) => played);
}

const cases = makeCases();
const withSpeechToText = await play(cases, true);
const bySound = await play(cases, false);

/** The share of a class that ends with its verdict, with the misses as lines. */
function score(played: readonly Played[], answerer: Answerer) {
  const of = cases.flatMap((scenario, i) =>
    scenario.answerer === answerer ? [{ scenario, verdicts: played[i]!.verdicts }] : [],
  );
  const misses = of.filter(({ verdicts }) => verdicts.at(-1)?.answerer !== answerer);
  const firstRight = of.filter(({ verdicts }) => verdicts[0]?.answerer === answerer).length;
  return {
    share: 1 - misses.length / of.length,
    figures: `${answerer}: ${of.length - misses.length} of ${of.length} right in the end, ${firstRight} at first`,
    misses: misses.map(
      ({ scenario, verdicts }) => `  ${scenario.text} -> ${verdicts.map((v) => `${v.answerer} ${v.atMs}`).join(", ")}`,
    ),
  };
}

test("by sound and words, 95 % of the people and of the voicemails are known, and the others", (t) => {
  assert.ok(cases.length >= 100);

  for (const answerer of Object.keys(GREETINGS) as (keyof typeof GREETINGS)[]) {
    const { share, figures, misses } = score(withSpeechToText, answerer);
    t.diagnostic([figures, ...misses].join("\n"));
    assert.ok(share >= (answerer === "human" || answerer === "voicemail" ? 0.95 : 0.85), figures);
  }
});

test("by sound alone, 95 % of the people and of the voicemails with a beep are known in the end", (t) => {
  for (const answerer of ["human", "voicemail"] as const) {
    const { share, figures, misses } = score(bySound, answerer);
    t.diagnostic([figures, ...misses].join("\n"));
    assert.ok(share >= 0.95, figures);
  }
});

test("a person is answered soon: no verdict later than 1.3 s after their first words", (t) => {
  const waits = cases.flatMap((scenario, i) => {
    if (scenario.answerer !== "human") return [];
    const verdict = withSpeechToText[i]!.verdicts.find(({ answerer }) => answerer === "human");
    return verdict === undefined ? [] : [verdict.atMs - Math.min(scenario.endMs, verdict.atMs)];
  });
  waits.sort((a, b) => a - b);
  t.diagnostic(`median ${Math.round(waits[waits.length >> 1]!)} ms, longest ${Math.round(waits.at(-1)!)} ms`);

  assert.ok(waits.at(-1)! <= 1_300, `${waits.at(-1)} ms`);
});

test("every beep is found, its end to within 60 ms, and no speech is one", (t) => {
  const beeps = cases.map((scenario, i) => ({
    scenario,
    beeps: bySound[i]!.tones.filter(({ kind }) => kind === "beep"),
  }));
  const machines = beeps.filter(({ scenario }) => scenario.beepEndMs !== undefined);

  const found = machines.filter(({ scenario, beeps: all }) =>
    all.some(({ endMs }) => Math.abs(endMs - scenario.beepEndMs!) <= 60),
  );
  const wrong = beeps.flatMap(({ scenario, beeps: all }) =>
    all
      .filter(({ endMs }) => Math.abs(endMs - (scenario.beepEndMs ?? -1_000)) > 60)
      .map(({ endMs }) => `${scenario.text} at ${endMs}`),
  );
  const minutes = cases.reduce((sum, { samples }) => sum + samples.length / 8_000 / 60, 0);
  t.diagnostic(`${found.length} of ${machines.length} beeps, ${wrong.length} false in ${minutes.toFixed(1)} minutes`);

  assert.equal(found.length, machines.length);
  assert.deepEqual(wrong, []);
});

test("no recorded prompt is a beep", {
  skip: existsSync(PROMPTS) ? false : "asterisk-core-sounds-en-wav is not installed",
}, (t) => {
  let seconds = 0;
  const wrong = globSync("**/*.wav", { cwd: PROMPTS }).flatMap((name) => {
    // Those that are tones, or music.
    if (/beep|tone|silence|monkeys|weasels|confbridge-(join|leave)|conf-(entering|leader|has)|glorious/.test(name))
      return [];
    const file = readFileSync(`${PROMPTS}/${name}`);
    const samples = new Int16Array(
      file.buffer.slice(file.byteOffset + 44, file.byteOffset + file.length - (file.length % 2)),
    );
    seconds += samples.length / 8_000;
    const detector = createToneDetector();
    const events: string[] = [];
    for (let at = 0; at + 160 <= samples.length; at += 160) {
      const event = detector.push(samples.subarray(at, at + 160));
      if (event) events.push(`${name}: ${event.kind} of ${event.hz} Hz, ${event.startMs} to ${event.endMs} ms`);
    }
    return events;
  });
  t.diagnostic(`${(seconds / 60).toFixed(1)} minutes of prompts`);

  assert.deepEqual(wrong, []);
});
