import { foldText } from "#domain/values/fold.ts";
import type { ExtractionField } from "./extraction-field.ts";

/** What an answer to a field looks like. */
export type FieldKind =
  | "name"
  | "first_name"
  | "last_name"
  | "email"
  | "phone"
  | "zip"
  | "place"
  | "money"
  | "number"
  | "date"
  | "time"
  | "moment"
  | "call_time"
  | "period"
  | "interest"
  | "yes_no"
  | "choice"
  | "text";

/** By the words of a field's name, the surer first. */
const BY_NAME: readonly (readonly [RegExp, FieldKind])[] = [
  [/\be ?mail\b/, "email"],
  [/\bcall ?back\b|\bbest time to (?:call|reach)\b|\btime to call\b|\bcall (?:date ?)?time\b/, "call_time"],
  [/\b(?:phone|mobile|cell|telephone)\b(?! (?:bill|plan|cost|company|provider|brand|model))/, "phone"],
  [/\b(?:zip|postal|post ?code|zipcode)\b/, "zip"],
  [/\bfirst name\b/, "first_name"],
  [/\b(?:last name|surname|family name)\b/, "last_name"],
  [/^(?:full |contact |lead |customer |your |caller )?name$/, "name"],
  [/\b(?:city|town)\b/, "place"],
  [/\b(?:timeline|time ?frame)\b|(?<!\b(?:per|a|each|every|birth|last|this) )\bmonth$/, "period"],
  [/\b(?:needed|due|ready|finished|done|delivered|wanted) by$/, "date"],
  [
    /\b(?:budget|price|amount|income|salary|pay|wage|revenue|cost|balance|payment|debt|spend|rent|savings|deposit|bill|premium|donation|(?:home|house|property|car) value|worth|(?:assessed|appraised|market|sale|estimated|current|policy|trade in) value|value of (?:the )?(?:home|house|property|car)|dues|(?:maintenance|monthly|yearly|annual|hoa|membership|service) fees?|amount owed|owed|owes|how much)\b(?! (?:type|status|reason|name|day|date|method|option|plan|frequency|due))/,
    "money",
  ],
  [
    /\b(?:appointment|meeting|visit|tour|demo|viewing|inspection|test drive)\b.{0,20}\b(?:time|date|day)\b|\b(?:date ?time|availability|available|preferred time|schedule)\b|^(?:appointment|meeting|visit|tour|demo|viewing)$/,
    "moment",
  ],
  [/^(?:preferred |best |which )?(?:evening|morning|afternoon|weekday)$/, "moment"],
  [/\b(?:date|day|birthday|birthdate|dob|born|deadline|move in|when)\b(?! year)/, "date"],
  [/\b(?:time|hour)\b(?! ?(?:line|frame|zone)| of day)/, "time"],
  [/^(?:is |still )?interest(?:ed)?(?: level)?$|^interested in \w+$|^wants?\b|^looking\b/, "interest"],
  [
    /^(?:is|are|has|have|had|owns?|needs?|does|do|did|can|will|would|was|currently|already)\b|\b(?:approved|insured|employed|married|homeowner|qualified|agreed|confirmed|damaged|filed)$/,
    "yes_no",
  ],
  [
    /\b(?:number|num|count|how many|quantity|qty|size|age|years|bedrooms|bathrooms|rooms|beds|baths|score|employees|drivers|people|kids|children)\b/,
    "number",
  ],
];

/** Both are wanted, whatever the name says. */
const DAY_AND_TIME = /\b(?:week ?)?(?:day|date) and (?:the |what )?(?:time|hour)\b/;

/** By what its description says, where the name says nothing: a loan_needed that is "how much they want to borrow". */
const BY_DESCRIPTION: readonly (readonly [RegExp, FieldKind])[] = [
  [/\b(?:date of birth|birth ?date)\b|^when\b.*\bborn\b/, "date"],
  [/^(?:whether|if) (?:they|the \w+|you|he|she) still\b/, "interest"],
  [
    /^(?:whether|if)\b.*\b(?:interested|wants?|looking|like|willing|considers?|open to|thinking|needs? help)\b/,
    "interest",
  ],
  [/^(?:whether|if)\b/, "yes_no"],
  [/^(?:(?:by|on|for) )?(?:which|what) (?:date|day)\b(?!.*\btime\b)|^by when\b/, "date"],
  [/^(?:which|what|the) months?\b/, "period"],
  [/^(?:which|what) night\b/, "moment"],
  [DAY_AND_TIME, "moment"],
  [/^(?:the )?(?:date|day) (?:of|they|you|when|on which)\b/, "date"],
  [/^when\b(?!.*\b(?:was|were|did|had|last)\b)/, "moment"],
  [
    /\bhow much\b(?! (?:room|space|time|land|notice|food|luggage|experience|weight|light|shade|storage|work|help|water|power|stuff|furniture|pain|noise)\b)|\bin dollars\b/,
    "money",
  ],
  [/\bhow many\b|\bnumber of\b/, "number"],
  [/^when\b.*\bcall\b/, "call_time"],
  [/^when\b.*\b(?:visit|come|meet|drop|pick|bring|start|begin|session|lesson|tour|may|can|suits?)\b/, "moment"],
  [/^(?:which|what) day\b.*\btime\b/, "moment"],
  [/^(?:which|what) (?:evening|morning|afternoon|weekday)\b/, "moment"],
];

/** Asked so, an answer is no number. */
const OF_WORDS =
  /^(?:which (?!age|number|size|year|grade)|where|who|why|how (?!much|many|old|long|often|big|large|tall|heavy|far|wide|high|soon))/;

const DOLLARS = /\b(?:how much|dollars|usd|price|amount|pay|budget|bill)\b/;

/** `moveInDate`, `move_in_date` -> `move in date`. */
export function wordsOf(name: string): string {
  return foldText(name.replace(/([a-z0-9])([A-Z])/g, "$1 $2"));
}

export function kindOf({ name, type, description = "" }: ExtractionField): FieldKind {
  if (type === "enum") return "choice";
  const words = wordsOf(name);
  const about = foldText(description.slice(0, 500));
  const named = BY_NAME.find(([pattern]) => pattern.test(words))?.[1];
  const described = BY_DESCRIPTION.find(([pattern]) => pattern.test(about))?.[1];
  if (type === "boolean") return named === "interest" || described === "interest" ? "interest" : "yes_no";
  if (type === "number") return named === "money" || DOLLARS.test(`${words} ${about}`) ? "money" : "number";
  // "Which rooms", "how full": words, though the name is one of a count.
  if (named === "number" && OF_WORDS.test(about)) return described === "number" ? named : (described ?? "text");
  if (named === "date" && DAY_AND_TIME.test(about)) return "moment";
  // "When they can drop it off" wants a day, too.
  if (named === "time" && described === "moment") return "moment";
  // "When they want to travel" is a day or a month, and no hour.
  if (named === "time" && /^when\b/.test(about)) return described === "call_time" ? "call_time" : "date";
  return named ?? described ?? "text";
}
