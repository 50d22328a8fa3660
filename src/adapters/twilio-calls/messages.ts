import { safeParse } from "secure-json-parse";
import { TICKET } from "./twiml.ts";

// Messages of Twilio's Media Streams over a WebSocket, JSON in text; all counters are texts there (www.twilio.com/docs/voice/media-streams/websocket-messages).

/** 20 ms of mu-law at 8 kHz are 300 bytes of JSON; one with a long name or many parameters is some kilobytes. */
export const MAX_MESSAGE = 16_000;
/** A second of sound at once is none that is being spoken. */
const MOST_SOUND = 8_000;
const MOST_NAME = 200;

export type StreamStart = {
  event: "start";
  streamSid: string;
  accountSid: string;
  callSid: string;
  parameters: Readonly<Record<string, string>>;
};

/** What Twilio says. `other` is what we do not know, and what is not as it should be: it is passed over, and says why. */
export type FromTwilio =
  | { event: "connected" }
  | StreamStart
  /** `chunk` counts the stream's sound from 1; `timestamp` is milliseconds from its start. */
  | { event: "media"; streamSid: string; chunk: number; timestamp: number; sound: Uint8Array }
  | { event: "dtmf"; streamSid: string; digit: string }
  | { event: "mark"; streamSid: string; name: string }
  | { event: "stop"; streamSid: string }
  | { event: "other"; problem: string };

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {});
const other = (problem: string): FromTwilio => ({ event: "other", problem });

const ACCOUNT = /^AC[0-9a-fA-F]{32}$/;
const CALL = /^CA[0-9a-fA-F]{32}$/;
const STREAM = /^MZ[0-9a-fA-F]{32}$/;
const COUNT = /^\d{1,15}$/;
const DIGIT = /^[0-9*#A-D]$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Never throws, whatever comes. */
export function readMessage(text: string): FromTwilio {
  if (text.length > MAX_MESSAGE) return other("the message is too long");
  const value: unknown = safeParse(text);
  if (!isFields(value)) return other("the message is no JSON object");
  if (value.event === "connected") return { event: "connected" };
  if (value.event === "start") return startOf(value);
  const { streamSid } = value;
  if (typeof streamSid !== "string" || !STREAM.test(streamSid)) return other("streamSid is no stream's");
  switch (value.event) {
    case "media":
      return mediaOf(streamSid, fieldsIn(value.media));
    case "dtmf": {
      const { digit } = fieldsIn(value.dtmf);
      return typeof digit === "string" && DIGIT.test(digit)
        ? { event: "dtmf", streamSid, digit }
        : other("dtmf.digit is no key");
    }
    case "mark": {
      const { name } = fieldsIn(value.mark);
      return typeof name === "string" && name.length <= MOST_NAME
        ? { event: "mark", streamSid, name }
        : other("mark.name is missing");
    }
    case "stop":
      return { event: "stop", streamSid };
    default:
      return other("the event is none that we know");
  }
}

function startOf(value: Fields): FromTwilio {
  const start = fieldsIn(value.start);
  const streamSid = value.streamSid ?? start.streamSid;
  const { accountSid, callSid } = start;
  if (typeof streamSid !== "string" || !STREAM.test(streamSid)) return other("streamSid is no stream's");
  if (typeof accountSid !== "string" || !ACCOUNT.test(accountSid)) return other("start.accountSid is no account's");
  if (typeof callSid !== "string" || !CALL.test(callSid)) return other("start.callSid is no call's");
  const { encoding, sampleRate, channels } = fieldsIn(start.mediaFormat);
  // Twilio has no other; one that it brought some day would be noise here.
  if (encoding !== "audio/x-mulaw" || Number(sampleRate) !== 8_000 || Number(channels ?? 1) !== 1)
    return other("start.mediaFormat is not mu-law at 8 kHz");
  const named = Object.entries(fieldsIn(start.customParameters));
  const parameters = Object.fromEntries(named.filter((one): one is [string, string] => typeof one[1] === "string"));
  return { event: "start", streamSid, accountSid, callSid, parameters };
}

function mediaOf(streamSid: string, media: Fields): FromTwilio {
  const { track, payload } = media;
  // The other track would be our own voice.
  if (track !== undefined && track !== "inbound") return other("media.track is not the contact's");
  const [chunk, timestamp] = [countIn(media.chunk), countIn(media.timestamp)];
  if (chunk === undefined || timestamp === undefined) return other("media.chunk or media.timestamp is no number");
  if (typeof payload !== "string" || !BASE64.test(payload)) return other("media.payload is not base64");
  const sound = Buffer.from(payload, "base64");
  if (sound.length === 0 || sound.length > MOST_SOUND) return other("media.payload is too long");
  return { event: "media", streamSid, chunk, timestamp, sound };
}

function countIn(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && COUNT.test(text) ? Number(text) : undefined;
}

/** The ticket that a stream shows in its start; undefined in any other message. */
export function ticketIn(text: string): string | undefined {
  const message = readMessage(text);
  return message.event === "start" ? message.parameters[TICKET] : undefined;
}

/** Sound to play after what waits already. */
export const mediaMessage = (streamSid: string, sound: Uint8Array): string =>
  JSON.stringify({
    event: "media",
    streamSid,
    media: { payload: Buffer.from(sound.buffer, sound.byteOffset, sound.length).toString("base64") },
  });

/** Comes back once what was sent before it has been played, or was dropped by a clear. */
export const markMessage = (streamSid: string, name: string): string =>
  JSON.stringify({ event: "mark", streamSid, mark: { name } });

/** Drops what was sent and has not been played. */
export const clearMessage = (streamSid: string): string => JSON.stringify({ event: "clear", streamSid });
