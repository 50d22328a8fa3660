import type { ExtractionField } from "#domain/agents/extraction-field.ts";
import { foldText } from "#domain/values/fold.ts";
import { trimEndOf } from "#domain/values/trim-end.ts";

/** What an answer to a field looks like. */
export type FieldKind =
  | "name"
  | "first_name"
  | "last_name"
  | "email"
  | "phone"
  | "zip"
  | "city"
  | "money"
  | "number"
  | "date"
  | "time"
  | "moment"
  | "call_time"
  | "interest"
  | "yes_no"
  | "enum"
  | "text";

/** A field with how to recognise its answer and how to ask for it. */
export type AskedField = { field: ExtractionField; kind: FieldKind; question: string; words: string[] };

/** By the words of a field's name, the surer first. */
const KINDS: [RegExp, FieldKind][] = [
  [/\be ?mail\b/, "email"],
  [
    /\b(?:call ?back|call) (?:date ?)?time\b|\bcall ?back\b|\bbest time to (?:call|reach)\b|\btime to call\b/,
    "call_time",
  ],
  [/\b(?:phone|mobile|cell|telephone)\b/, "phone"],
  [/\b(?:zip|postal|post ?code|zipcode)\b/, "zip"],
  [/\bfirst name\b/, "first_name"],
  [/\b(?:last name|surname|family name)\b/, "last_name"],
  [/^(?:full |contact |lead |customer |your |caller )?name$/, "name"],
  [/^(?:current |home |target |preferred |desired )?(?:city|town)$/, "city"],
  [
    /\b(?:budget|price|amount|income|salary|revenue|cost|balance|loan|payment|debt|spend|rent|savings|deposit)\b(?! (?:type|status|reason|name))/,
    "money",
  ],
  [
    /\b(?:appointment|meeting|visit|tour|demo|viewing|date ?time|availability|available|preferred time|schedule)\b/,
    "moment",
  ],
  [/\b(?:date|day|birthday|dob|deadline|move in|when)\b/, "date"],
  [/\b(?:time|hour)\b(?!line|frame| ?zone| line| frame)/, "time"],
  [/^(?:is |still )?interest(?:ed)?(?: level)?$|^interested in \w+$/, "interest"],
  [
    /^(?:is|are|has|have|had|owns?|wants?|needs?|does|do|did|can|will|would|was|currently|already)\b|\b(?:approved|insured|employed|married|homeowner|qualified|agreed|confirmed)$/,
    "yes_no",
  ],
  [
    /\b(?:number|num|count|how many|quantity|qty|size|age|years|bedrooms|bathrooms|rooms|beds|baths|score|employees|people|kids|children)\b/,
    "number",
  ],
];

/** `moveInDate`, `move_in_date` -> `move in date`. */
export function wordsOf(name: string): string {
  return foldText(name.replace(/([a-z0-9])([A-Z])/g, "$1 $2"));
}

export function askedField(field: ExtractionField): AskedField {
  const words = wordsOf(field.name);
  const kind = kindOf(field, words);
  return {
    field,
    kind,
    question: questionOf(field, kind, words),
    words: words.split(" ").filter((word) => word.length > 2),
  };
}

function kindOf({ type }: ExtractionField, words: string): FieldKind {
  if (type === "enum") return "enum";
  const named = KINDS.find(([pattern]) => pattern.test(words))?.[1];
  if (type === "boolean") return named === "interest" ? "interest" : "yes_no";
  if (type === "number") return named === "money" ? "money" : "number";
  return named ?? "text";
}

function questionOf(field: ExtractionField, kind: FieldKind, words: string): string {
  const described = field.description ? fromDescription(field.description) : undefined;
  if (described) return described;
  switch (kind) {
    case "email":
      return "What's the best email address for you?";
    case "phone":
      return "What's the best phone number for you?";
    case "name":
      return "May I have your name?";
    case "first_name":
      return "May I have your first name?";
    case "last_name":
      return "And your last name?";
    case "zip":
      return "What's your zip code?";
    case "city":
      return words === "city" || words === "town" ? "What city are you in?" : `What is your ${words}?`;
    case "call_time":
      return "What day and time would be good for a call?";
    case "interest":
      return "Are you interested?";
    case "money":
      return words === "budget" ? "What budget do you have in mind?" : `What is your ${words}?`;
    case "moment":
      return /appointment|meeting|visit|tour|demo|viewing/.test(words)
        ? `What day and time would work for your ${/appointment|meeting|visit|tour|demo|viewing/.exec(words)?.[0]}?`
        : "What day and time would work best for you?";
    case "time":
      return `What time works best${/^(?:preferred |best )?time$/.test(words) ? "" : ` for your ${words.replace(/ ?time\b/, "")}`}?`;
    case "yes_no":
      return yesNoQuestion(words);
    case "number":
      return /^(?:number of|num|count of|how many) /.test(words) ||
        /(?:rooms|beds|baths|years|people|kids|children|employees)$/.test(words)
        ? `How many ${words.replace(/^(?:number of|num|count of|how many) /, "")}?`
        : `What is your ${words}?`;
    case "enum":
      return `Which fits best for ${words}: ${listed(field.choices)}?`;
    default:
      return `What is your ${words}?`;
  }
}

const WHO = "(?:the |a )?(?:lead|contact|customer|client|user|prospect|person|caller|they|he|she)";
const IN_THE_SECOND_PERSON: readonly [RegExp, string][] = [
  [new RegExp(`\\b${WHO}['’]s\\b|\\b(?:their|his|her)\\b`, "gi"), "your"],
  [new RegExp(`\\b${WHO} (?:is|are)\\b`, "gi"), "you are"],
  [new RegExp(`\\b${WHO} has\\b`, "gi"), "you have"],
  [new RegExp(`\\b${WHO} (\\w+[^s\\s])s\\b`, "gi"), "you $1"],
  [new RegExp(`\\b${WHO}\\b(?! (?:type|status|list))`, "gi"), "you"],
];

/** A description is a question already, or says in the third person what to find out. */
function fromDescription(description: string): string | undefined {
  const text = trimEndOf(description.trim(), ". \n\t");
  if (text === "" || text.length > 160 || /[{}<>]/.test(text)) return undefined;
  if (text.endsWith("?")) return text;
  const spoken = IN_THE_SECOND_PERSON.reduce((words, [third, second]) => words.replace(third, second), text);
  const start = spoken[0]!.toLowerCase() + spoken.slice(1);
  if (/^(?:whether|if|what|when|where|how|why|which|who)\b/.test(start)) return `Could you tell me ${start}?`;
  return `Could you tell me ${/^(?:your|the|a|an|any)\b/.test(start) ? "" : "your "}${start}?`;
}

function yesNoQuestion(words: string): string {
  const [first = "", ...others] = words.split(" ");
  const rest = others.join(" ");
  const article =
    /(?:er|or|ian|ist|eran|ent|tenant|member)$/.test(rest) && others.length === 1
      ? /^[aeiou]/.test(rest)
        ? "an "
        : "a "
      : "";
  if (/^(?:is|are|was)$/.test(first)) return `Are you ${article}${rest}?`;
  if (/^(?:has|have|had)$/.test(first)) return `Do you have ${rest}?`;
  if (/^(?:own|want|need|doe|do|did)s?$/.test(first))
    return `Do you ${/^do|^did/.test(first) ? "" : `${first.replace(/s$/, "")} `}${rest}?`;
  if (/^(?:can|will|would)$/.test(first)) return `${first[0]!.toUpperCase()}${first.slice(1)} you ${rest}?`;
  if (/ed$|^(?:currently|already)/.test(words)) return `Are you ${words}?`;
  return `Is this a yes for you: ${words}?`;
}

const listed = (choices: readonly string[]): string =>
  choices.length < 2 ? choices.join("") : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
