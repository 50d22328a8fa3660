import { type JsonObject, textIn } from "#adapters/vendor-http/json.ts";
import { textDigest } from "#domain/messaging/text-digest.ts";
import type { Uuid } from "#domain/values/id.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import type { DoubtedText, FoundText } from "#ports/sms-carrier.ts";
import { listed, pathOf, type TwilioApi } from "./api.ts";

/**
 * Our clock and Twilio's differ by less, and so do the decision to send and the request. Wide, a wrong time zone included, since a text that is taken
 * for older is sent again, while one too many in the list only leaves it open which is ours.
 */
const SKEW_MS = 86_400_000;
/** An attempt that is later than Twilio's own time by more was made by a clock that nothing can be said by. */
const FUTURE_MS = 3_600_000;
const PAGE = 100;
/** Of the requests that an account may have at a time some are left for sending. */
const PHONES_AT_ONCE = 8;
/** Twilio puts it before each text of an account that has paid nothing yet. */
const TRIAL = "Sent from your Twilio trial account - ";

/**
 * Which attempts in doubt Twilio has taken. It does not know our reference, so that what it lists from the sender to the phone since then is
 * compared: the list is not narrowed by DateSent, which a text in its queue has not got. As many texts with the same words as attempts with them,
 * and not known to belong to another attempt: all were taken. None at all, and nothing that Twilio may have changed: none was. Anything else
 * leaves it open which, and none of them may be sent again.
 */
export async function lookUp(
  api: TwilioApi,
  attempts: readonly DoubtedText[],
  signal: AbortSignal,
): Promise<Map<Uuid, FoundText>> {
  const found = new Map<Uuid, FoundText>();
  // Erased with its contact's number, or from a journal of before digests: nothing can be compared.
  for (const attempt of attempts) if (digestOf(attempt) === undefined) found.set(attempt.ref, { unsure: true });
  const worded = attempts.filter((attempt) => digestOf(attempt) !== undefined);
  const groups = [...Map.groupBy(worded, ({ sender, to }) => `${sender} ${to}`).values()];
  const lookInto = async (group: readonly DoubtedText[]) => {
    const since = Math.min(...group.map(({ at }) => at.getTime())) - SKEW_MS;
    const messages = await sentSince(api, group[0]!, since, signal);
    const time = api.time() ?? Number.POSITIVE_INFINITY;
    for (const { ref, at } of group) if (at.getTime() > time + FUTURE_MS) found.set(ref, { unsure: true });
    for (const [ref, one] of compared(group, messages)) found.set(ref, one);
  };
  for (const some of piecesOf(groups, PHONES_AT_ONCE)) await Promise.all(some.map(lookInto));
  return found;
}

/** A text that Twilio lists. */
export type Listed = { sid: string; body: string; media: number; createdAt: number };

async function sentSince(
  api: TwilioApi,
  { sender, to }: DoubtedText,
  since: number,
  signal: AbortSignal,
): Promise<Listed[]> {
  const query = new URLSearchParams({ To: to, From: sender, PageSize: String(PAGE) });
  const isOlder = (message: JsonObject) => createdAt(message) < since;
  const all = await listed(
    api,
    {
      path: pathOf(api.account, `Messages.json?${query}`),
      key: "messages",
      // Newest first: a page that is older to its end is followed by older ones.
      until: (page) => page.length > 0 && page.every(isOlder),
    },
    signal,
  );
  return all.flatMap((message) => {
    const sid = textIn(message.sid);
    const outbound = String(message.direction).startsWith("outbound");
    if (sid === undefined || !outbound || isOlder(message)) return [];
    return [
      { sid, body: String(message.body ?? ""), media: Number(message.num_media) || 0, createdAt: createdAt(message) },
    ];
  });
}

/** A date that cannot be read is taken for now: such a text makes the answer less sure, not surer. */
function createdAt({ date_created: date }: JsonObject): number {
  const at = Date.parse(String(date));
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at;
}

/** Of words and pictures, which are as much of a text. Undefined where nothing is known of them. */
const digestOf = ({ text, media = 0, digest }: DoubtedText): string | undefined =>
  text === null ? (digest ?? undefined) : textDigest(text, media);

/** Of one sender and phone. What is absent from the answer was never taken. */
export function compared(attempts: readonly DoubtedText[], listed: readonly Listed[]): Map<Uuid, FoundText> {
  const known = new Set(attempts.flatMap((attempt) => attempt.otherIds));
  const open = listed
    .filter(({ sid }) => !known.has(sid))
    .sort((a, b) => a.createdAt - b.createdAt)
    .map(({ sid, body, media }) => ({ sid, digest: textDigest(plain(body), media) }));
  const ours = new Set(attempts.map(digestOf));
  // Words that are none of ours: another system's, or ours as Twilio has changed or redacted them.
  const hasStrange = open.some(({ digest }) => !ours.has(digest));
  const found = new Map<Uuid, FoundText>();
  for (const [digest, same] of Map.groupBy(attempts, digestOf)) {
    const taken = open.filter((one) => one.digest === digest);
    const inOrder = same.toSorted((a, b) => a.at.getTime() - b.at.getTime());
    if (digest !== undefined && taken.length === same.length)
      for (const [i, { ref }] of inOrder.entries()) found.set(ref, { carrierId: taken[i]!.sid });
    else if (taken.length > 0 || hasStrange || digest === undefined)
      for (const { ref } of same) found.set(ref, { unsure: true });
  }
  return found;
}

const plain = (body: string): string => (body.startsWith(TRIAL) ? body.slice(TRIAL.length) : body);
