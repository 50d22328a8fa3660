import { answerTo, factsOf } from "#adapters/dialog-engine/facts.ts";
import { slotOf } from "#adapters/dialog-engine/slots.ts";
import { actsIn } from "#adapters/dialog-reading/acts.ts";
import { hasNoPreference, refusesByReason } from "#adapters/dialog-reading/implied.ts";
import { eitherDayIn, isOnlyATime } from "#adapters/dialog-reading/time-values.ts";
import { readValue } from "#adapters/dialog-reading/values.ts";
import { languageOf } from "#adapters/dialog-words/language.ts";
import { digitRunsIn, numeralsIn } from "#adapters/dialog-words/numerals.ts";
import { sentenceSplitter } from "#conversation/calls/sentences.ts";
import { speakable } from "#conversation/calls/speech.ts";
import { readKey } from "#domain/accounts/api-key.ts";
import { passwordProblem } from "#domain/accounts/password.ts";
import { fieldValue, outcomeLabel, parseZonedTime } from "#domain/agents/extraction.ts";
import { normaliseExtractionFields } from "#domain/agents/extraction-field.ts";
import { answererOf } from "#domain/calls/answerer.ts";
import { callbackWish } from "#domain/calls/callback-wish.ts";
import { spokenTime } from "#domain/calls/spoken-time.ts";
import { linesOf, readPhones } from "#domain/compliance/do-not-call.ts";
import { keywordOf, ownWords } from "#domain/compliance/keyword.ts";
import { wishOf } from "#domain/compliance/opt-out.ts";
import { phonesIn } from "#domain/contacts/import-row.ts";
import { readLeads } from "#domain/contacts/lead.ts";
import { contactSearch } from "#domain/contacts/search.ts";
import { checkAuthored, checkOutgoing } from "#domain/messaging/output-gate.ts";
import { countSegments } from "#domain/messaging/segments.ts";
import { renderTemplate, templateProblem } from "#domain/messaging/template.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { findPostalCode } from "#domain/phones/postal-code.ts";
import { byteRange } from "#domain/values/byte-range.ts";
import { delimiterOf, meantCell, shownCell } from "#domain/values/csv-cell.ts";
import { foldText } from "#domain/values/fold.ts";
import { parseInstant } from "#domain/values/instant.ts";
import { stripInvisible } from "#domain/values/invisible.ts";
import { parseJson } from "#domain/values/json.ts";
import { allowedLinkProblem, findLinks, isAllowedLink } from "#domain/values/link.ts";
import { textPageRequest } from "#domain/values/page-key.ts";
import { numberedPage } from "#domain/values/page-number.ts";
import { pageRequest } from "#domain/values/paging.ts";
import { isBackchannel } from "#media/turn/barge-in.ts";
import { turnWordsOf } from "#media/turn/endpointing.ts";
import type { Pumped } from "./pumped.ts";

/** A text of a phone, an answer of a handset, a word of an operator: none is longer (contract/). */
const TEXT = 2_000;
/** A contact's field (contract/contacts/contacts.ts), which is a cell of a file, too. */
const FIELD = 10_000;
/** Node's own limit of all headers together; a path is shorter. */
const HEADER = 16_384;
const QUERY = 2_048;
const TEMPLATE = 1_600;

const now = new Date("2026-11-20T15:00:00Z");
const zone = "America/Denver";
const field = (name: string) => slotOf(normaliseExtractionFields([name])[0]!);
const said = (text: string) => ({ text, at: now, zone, ...actsIn(text) });
const read = (name: string) => (text: string) => readValue(field(name), said(text), true);
const facts = factsOf("Our fee is 5 percent. We are at 1 Main Street. Never name a price.");
/** A field of each kind. */
const FIELDS =
  "email phone zip_code name city from_city to_city budget number_of_rooms roof_age date visit_time call_time timeline interested owns_home loan_purpose notes".split(
    " ",
  );
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
  { name: "actsIn", limit: TEXT, run: actsIn },
  { name: "languageOf", limit: TEXT, run: languageOf },
  { name: "numeralsIn", limit: TEXT, run: numeralsIn },
  { name: "digitRunsIn", limit: TEXT, run: (text) => digitRunsIn(text, 5) },
  { name: "answerTo", limit: TEXT, run: (text) => answerTo(text, facts) },
  { name: "refusesByReason", limit: TEXT, run: (text) => refusesByReason(said(text), "yes_no") },
  { name: "refusesByReason where words are asked", limit: TEXT, run: (text) => refusesByReason(said(text), "text") },
  { name: "hasNoPreference", limit: TEXT, run: (text) => hasNoPreference(said(text), "choice") },
  { name: "hasNoPreference of a time", limit: TEXT, run: (text) => hasNoPreference(said(text), "date") },
  { name: "eitherDayIn", limit: TEXT, run: eitherDayIn },
  { name: "isOnlyATime", limit: TEXT, run: (text) => isOnlyATime(said(text)) },
  ...FIELDS.map((name) => ({ name: `readValue of ${name}`, limit: TEXT, run: read(name) })),
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
  { name: "a fallback in a template", limit: TEMPLATE, run: (text) => renderTemplate(`{{a|${text}}}`, {}) },
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
