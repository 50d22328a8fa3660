import type { Uuid } from "#domain/values/id.ts";

// Pictures and other files of a text (MMS): those that come in are fetched from the carrier and kept, those that go out are addresses.

export type MediaState = "waiting" | "kept" | "failed";

/** One that came in. `problem` says as a sentence why it could not be kept. */
export type Media = {
  id: string;
  state: MediaState;
  content_type: string | null;
  bytes: number | null;
  problem: string | null;
};

/** Where the bytes are kept: an id gives the name, so that what is erased is removed whether or not it was there yet. */
export const mediaName = (tenantId: Uuid, id: Uuid): string => `${tenantId}/media/${id}`;

/** The same of a picture that was uploaded to go along with texts. */
export const pictureName = (tenantId: Uuid, id: Uuid): string => `${tenantId}/pictures/${id}`;

/** No carrier brings or takes more with one text. */
export const MOST_MEDIA = 10;
/** What carriers let through at most. */
export const MOST_MEDIA_BYTES = 5 * 1024 * 1024;
/** From one phone within a day: whoever sends more fills the disk, and nobody looks at it. */
export const MOST_BYTES_A_PHONE = 100 * 1024 * 1024;
/** From all phones of a tenant within a day. */
export const MOST_BYTES_A_TENANT = 10 * 1024 * 1024 * 1024;

type Kind = "picture" | "video" | "voice message" | "contact card" | "file";

/** What is kept: what phones send. A page or a program is nothing that a contact sends. */
const TYPES: Readonly<Record<string, { ending: string; kind: Kind; isShown?: true }>> = {
  "image/jpeg": { ending: "jpg", kind: "picture", isShown: true },
  "image/png": { ending: "png", kind: "picture", isShown: true },
  "image/gif": { ending: "gif", kind: "picture", isShown: true },
  "image/webp": { ending: "webp", kind: "picture", isShown: true },
  "image/bmp": { ending: "bmp", kind: "picture" },
  "image/heic": { ending: "heic", kind: "picture" },
  "image/heif": { ending: "heif", kind: "picture" },
  "image/tiff": { ending: "tiff", kind: "picture" },
  "video/mp4": { ending: "mp4", kind: "video" },
  "video/3gpp": { ending: "3gp", kind: "video" },
  "video/3gpp2": { ending: "3g2", kind: "video" },
  "video/quicktime": { ending: "mov", kind: "video" },
  "video/webm": { ending: "webm", kind: "video" },
  "audio/amr": { ending: "amr", kind: "voice message" },
  "audio/mpeg": { ending: "mp3", kind: "voice message" },
  "audio/mp4": { ending: "m4a", kind: "voice message" },
  "audio/3gpp": { ending: "3gp", kind: "voice message" },
  "audio/ogg": { ending: "ogg", kind: "voice message" },
  "audio/wav": { ending: "wav", kind: "voice message" },
  "text/vcard": { ending: "vcf", kind: "contact card" },
  "text/x-vcard": { ending: "vcf", kind: "contact card" },
  "text/calendar": { ending: "ics", kind: "file" },
  "text/plain": { ending: "txt", kind: "file" },
  "application/pdf": { ending: "pdf", kind: "file" },
};

const OTHER_NAMES: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "audio/mp3": "audio/mpeg",
  "audio/x-wav": "audio/wav",
  "audio/x-m4a": "audio/mp4",
};

/** A content type as it is kept; undefined for what is not kept. */
export function keptType(given: string | null | undefined): string | undefined {
  const [type = ""] = (given ?? "").split(";", 1);
  const plain = type.trim().toLowerCase();
  const known = Object.hasOwn(OTHER_NAMES, plain) ? OTHER_NAMES[plain]! : plain;
  return Object.hasOwn(TYPES, known) ? known : undefined;
}

/** Whether a browser may show it in a page. Everything else is a file to be saved. */
export const isShown = (type: string | null): boolean => TYPES[type ?? ""]?.isShown === true;

export const endingOf = (type: string | null): string => TYPES[type ?? ""]?.ending ?? "bin";

const PLURALS: Readonly<Record<Kind, string>> = {
  picture: "pictures",
  video: "videos",
  "voice message": "voice messages",
  "contact card": "contact cards",
  file: "files",
};

/** What came with a text, for whoever cannot see it: "(Sent 2 pictures and a file)". */
export function mediaNote(types: readonly (string | null)[]): string {
  const kinds = types.map((type): Kind => TYPES[keptType(type) ?? ""]?.kind ?? guessed(type));
  const parts = [...Map.groupBy(kinds, (kind) => kind)].map(([kind, them]) =>
    them.length === 1 ? `a ${kind}` : `${them.length} ${PLURALS[kind]}`,
  );
  const last = parts.pop();
  return `(Sent ${parts.length > 0 ? `${parts.join(", ")} and ${last}` : last})`;
}

const guessed = (type: string | null): Kind => {
  const [family] = (type ?? "").toLowerCase().split("/", 1);
  return family === "image" ? "picture" : family === "video" ? "video" : family === "audio" ? "voice message" : "file";
};

/** Whether a text is nothing but such a note. */
export const isMediaNote = (text: string): boolean => text.startsWith("(Sent ") && text.endsWith(")");

/** A text with a note of what came with it. */
export function withMediaNote(text: string, types: readonly (string | null)[]): string {
  if (types.length === 0) return text;
  const note = mediaNote(types);
  return text.trim() === "" ? note : `${text} ${note}`;
}

/** The longest address that carriers take. */
const MOST_URL_CHARACTERS = 2_000;

/** The contact's field with the address of its own picture. */
export const PICTURE_FIELD = "media_url";
/** In the place of a campaign's picture: each contact's own. */
const CONTACTS_PICTURE = `{{${PICTURE_FIELD}}}`;

/** What is wrong with the addresses of pictures to be sent, in words that read on from the field's name; undefined: nothing. */
export function mediaUrlsProblem(urls: readonly string[]): string | undefined {
  if (urls.length > MOST_MEDIA) return `must be ${MOST_MEDIA} at most`;
  if (new Set(urls).size < urls.length) return "has the same address twice";
  return urls.map((url) => urlProblem(url, "addresses")).find((problem) => problem !== undefined);
}

/** The same for a campaign's, one of which may stand for each contact's own. */
export const campaignMediaProblem = (urls: readonly string[]): string | undefined =>
  urls.length > MOST_MEDIA
    ? `must be ${MOST_MEDIA} at most`
    : urls.filter((url) => url === CONTACTS_PICTURE).length > 1
      ? `has ${CONTACTS_PICTURE} twice`
      : mediaUrlsProblem(urls.filter((url) => url !== CONTACTS_PICTURE));

/** What is wrong with a contact's own picture, in words that read on from the field's name. Empty: it has none. */
export const contactMediaProblem = (url: unknown): string | undefined =>
  typeof url !== "string" ? "must be a string" : url === "" ? undefined : urlProblem(url, "an address");

/** Whether each contact's own picture is among a campaign's. */
export const hasContactsPicture = (urls: readonly string[]): boolean => urls.includes(CONTACTS_PICTURE);

/** A campaign's pictures as they go to one contact; null: none. What was kept in its field before it was checked is left out. */
export function picturesFor(urls: readonly string[], own: unknown): readonly string[] | null {
  const isGood = typeof own === "string" && own !== "" && contactMediaProblem(own) === undefined;
  const pictures = urls.flatMap((url) =>
    url !== CONTACTS_PICTURE ? [url] : isGood && !urls.includes(own) ? [own] : [],
  );
  return pictures.length > 0 ? pictures : null;
}

function urlProblem(url: string, what: "addresses" | "an address"): string | undefined {
  if (url.length > MOST_URL_CHARACTERS) return `has an address of more than ${MOST_URL_CHARACTERS} characters`;
  if (!/^https:\/\//i.test(url) || !URL.canParse(url) || /[\s\p{Cc}]/u.test(url))
    return `must be ${what} that begin${what === "addresses" ? "" : "s"} with https://`;
  const { hostname, username, password } = new URL(url);
  if (username !== "" || password !== "") return "has an address with a name or password in it";
  if (!hostname.includes(".") || /^[\d.]+$/.test(hostname) || hostname.endsWith(".localhost"))
    return `must be ${what} that the carrier can fetch: name a host of the internet`;
  return undefined;
}
