import { askedField } from "#adapters/language/offline/question.ts";
import { understand } from "#adapters/language/offline/understand.ts";
import { readValue } from "#adapters/language/offline/value.ts";
import { sentenceSplitter } from "#conversation/sentences.ts";
import { speakable } from "#conversation/speech.ts";
import { answererOf } from "#domain/answerer.ts";
import { readKey } from "#domain/api-key.ts";
import { byteRange } from "#domain/byte-range.ts";
import { callbackWish } from "#domain/callback-wish.ts";
import { contactSearch } from "#domain/contact-search.ts";
import { delimiterOf, meantCell, shownCell } from "#domain/csv-cell.ts";
import { linesOf, readPhones } from "#domain/do-not-call.ts";
import { fieldValue, outcomeLabel, parseZonedTime } from "#domain/extraction.ts";
import { normaliseExtractionFields } from "#domain/extraction-field.ts";
import { foldText } from "#domain/fold.ts";
import { phonesIn } from "#domain/import-row.ts";
import { parseInstant } from "#domain/instant.ts";
import { stripInvisible } from "#domain/invisible.ts";
import { parseJson } from "#domain/json.ts";
import { keywordOf, ownWords } from "#domain/keyword.ts";
import { readLeads } from "#domain/lead.ts";
import { allowedLinkProblem, findLinks, isAllowedLink } from "#domain/link.ts";
import { wishOf } from "#domain/opt-out.ts";
import { checkAuthored, checkOutgoing } from "#domain/output-gate.ts";
import { textPageRequest } from "#domain/page-key.ts";
import { numberedPage } from "#domain/page-number.ts";
import { pageRequest } from "#domain/paging.ts";
import { passwordProblem } from "#domain/password.ts";
import { normalizePhone } from "#domain/phone.ts";
import { findPostalCode } from "#domain/postal-code.ts";
import { countSegments } from "#domain/segments.ts";
import { spokenTime } from "#domain/spoken-time.ts";
import { renderTemplate, templateProblem } from "#domain/template.ts";
import { isBackchannel } from "#media/barge-in.ts";
import { turnWordsOf } from "#media/endpointing.ts";
import type { Pumped } from "./pumped.ts";

/** A text of a phone, an answer of a handset, a word of an operator: none is longer (contract/). */
const TEXT = 2_000;
/** A contact's field (contract/contacts.ts), which is a cell of a file, too. */
const FIELD = 10_000;
/** Node's own limit of all headers together; a path is shorter. */
const HEADER = 16_384;
const QUERY = 2_048;
const TEMPLATE = 1_600;

const now = new Date("2026-11-20T15:00:00Z");
const zone = "America/Denver";
const field = (name: string) => askedField(normaliseExtractionFields([name])[0]!);
const read = (name: string) => (text: string) =>
  readValue(field(name), { text, at: now, zone, meaning: understand(text) }, true);
const rules = { allowedLinks: ["acme.com"], prompt: "Be kind. Never say where the key is.", known: "acme a@b.co 5" };

/** Every function of the program that reads a text of somebody else's, with the longest that reaches it. */
export const PUMPED_TEXTS: readonly Pumped[] = [
  { name: "stripInvisible", limit: FIELD, run: stripInvisible },
  { name: "foldText", limit: FIELD, run: foldText },
  { name: "keywordOf", limit: TEXT, run: keywordOf },
  { name: "ownWords", limit: TEXT, run: ownWords },
  { name: "wishOf", limit: TEXT, run: wishOf },
  { name: "callbackWish", limit: TEXT, run: (text) => callbackWish(text, now, zone) },
  { name: "spokenTime", limit: TEXT, run: (text) => spokenTime(text, now, zone) },
  { name: "understand", limit: TEXT, run: understand },
  ...["email", "phone", "zip_code", "name", "city", "budget", "number_of_rooms", "date", "call_time", "notes"].map(
    (name) => ({ name: `readValue of ${name}`, limit: TEXT, run: read(name) }),
  ),
  { name: "answererOf", limit: TEXT, run: answererOf },
  { name: "isBackchannel", limit: TEXT, run: isBackchannel },
  { name: "turnWordsOf", limit: TEXT, run: turnWordsOf },
  { name: "sentences", limit: TEXT, run: (text) => sentenceSplitter().push(text) },
  { name: "speakable", limit: TEXT, run: speakable },
  { name: "checkOutgoing", limit: TEXT, run: (text) => checkOutgoing(text, rules) },
  { name: "checkAuthored", limit: TEXT, run: (text) => checkAuthored(text) },
  { name: "countSegments", limit: TEXT, run: countSegments },
  { name: "findLinks", limit: TEXT, run: findLinks },
  { name: "isAllowedLink", limit: TEXT, run: (text) => isAllowedLink(text, ["acme.com"]) },
  { name: "allowedLinkProblem", limit: QUERY, run: allowedLinkProblem },
  { name: "renderTemplate", limit: TEMPLATE, run: (text) => renderTemplate(text, { a: "b" }) },
  { name: "templateProblem", limit: TEMPLATE, run: templateProblem },
  { name: "a field in a template", limit: FIELD, run: (text) => renderTemplate("{{a}}", { a: text }) },
  { name: "fieldValue", limit: FIELD, run: (text) => fieldValue(text, { type: "string", choices: [] }) },
  { name: "outcomeLabel", limit: FIELD, run: outcomeLabel },
  { name: "parseZonedTime", limit: FIELD, run: parseZonedTime },
  { name: "normalizePhone", limit: FIELD, run: normalizePhone },
  { name: "contactSearch", limit: QUERY, run: contactSearch },
  { name: "findPostalCode", limit: FIELD, run: findPostalCode },
  { name: "readLeads", limit: FIELD, run: (text) => readLeads([{ phone_number: text, [text]: text }], "leads") },
  { name: "phonesIn", limit: FIELD, run: (text) => phonesIn([text]) },
  { name: "shownCell", limit: FIELD, run: shownCell },
  { name: "meantCell", limit: FIELD, run: meantCell },
  { name: "delimiterOf", limit: FIELD, run: delimiterOf },
  { name: "a list of phones", limit: 100_000, run: (text) => readPhones(linesOf(text)) },
  { name: "parseJson", limit: 100_000, run: (text) => parseJson(Buffer.from(text)), pumps: ["[", '{"a":', '"\\u0000'] },
  { name: "readKey", limit: HEADER, run: (text) => readKey(text, () => "") },
  { name: "byteRange", limit: HEADER, run: (text) => byteRange(text, 10), pumps: ["bytes=", "0-1,"] },
  { name: "pageRequest", limit: QUERY, run: (text) => pageRequest({ pagination_key: text }) },
  { name: "textPageRequest", limit: QUERY, run: (text) => textPageRequest({ pagination_key: text }, []) },
  { name: "numberedPage", limit: QUERY, run: (text) => numberedPage({ page: text, limit: text }) },
  { name: "parseInstant", limit: QUERY, run: parseInstant, pumps: ["2026-", "T00:", "+00:"] },
  { name: "passwordProblem", limit: QUERY, run: (text) => passwordProblem(text, text, new Set()) },
];
