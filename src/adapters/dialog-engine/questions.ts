import type { ExtractionField } from "#domain/agents/extraction-field.ts";
import type { FieldKind } from "#domain/agents/field-kind.ts";
import { trimEndOf } from "#domain/values/trim-end.ts";

/** Three wordings of the question for a field, no two the same. A description that is a question is the first one. */
export function questionsOf(field: ExtractionField, kind: FieldKind, words: string): string[] {
  const described = field.description ? fromDescription(field.description, kind) : undefined;
  const plain = byKind(field, kind, words);
  if (described === undefined) {
    const what = kind === "yes_no" || kind === "interest" ? whether(plain[0]!) : lead(words);
    return [
      ...new Set([
        ...plain,
        what === undefined ? `One more try: ${decapitalized(plain[0]!)}` : `Could you tell me ${what}?`,
      ]),
    ];
  }
  return againOf(described);
}

/** A question with its rephrased wordings, and made ones up to three in all: whoever wrote it rarely wrote how it is asked again. */
export function againOf(question: string, rephrased: readonly string[] = []): string[] {
  const again = decapitalized(question);
  const made = [`Just so I have it right: ${again}`, `One more try: ${again}`];
  return [question, ...rephrased, ...made.slice(rephrased.length)];
}

const lead = (words: string): string => (/^(?:your|the|when|how|if|whether)\b/.test(words) ? words : `your ${words}`);

/** `Do you have insurance?` -> `whether you have insurance` */
function whether(question: string): string | undefined {
  const [, verb = "", rest = ""] = /^(Do|Are|Can|Will|Would) you (.+)\?$/.exec(question) ?? [];
  if (verb === "") return undefined;
  return verb === "Do" ? `whether you ${rest}` : `whether you ${verb.toLowerCase()} ${rest}`;
}

function byKind(field: ExtractionField, kind: FieldKind, words: string): string[] {
  switch (kind) {
    case "email":
      return ["What's the best email address for you?", "Which email should we write to?"];
    case "phone":
      return ["What's the best phone number for you?", "Which phone number should we use?"];
    case "name":
      return ["May I have your name?", "Who am I speaking with, what's your name?"];
    case "first_name":
      return ["May I have your first name?", "What's your first name?"];
    case "last_name":
      return ["And your last name?", "What's your last name?"];
    case "zip":
      return ["What's your zip code?", "Which zip code is it?"];
    case "call_time":
      return ["What day and time would be good for a call?", "When would be a good time to call you?"];
    case "date":
      return / by$/.test(words)
        ? ["By what day do you need it?", "What day do you need it by?"]
        : [`What is your ${words}?`, `And your ${words}, what is it?`];
    case "period":
      return [`What ${words} do you have in mind?`, `What is your ${words}?`];
    case "interest":
      return /^interest|^still/.test(words)
        ? ["Are you interested?", "Would you be interested?"]
        : [yesNo(words), `Just to be sure: ${decapitalized(yesNo(words))}`];
    case "yes_no":
      return [yesNo(words), `Just to be sure: ${decapitalized(yesNo(words))}`];
    case "money":
      return words === "budget"
        ? ["What budget do you have in mind?", "Roughly, what is your budget?"]
        : [`What is your ${words}?`, `Roughly, how much is your ${words}?`];
    case "moment":
      return [
        `What day and time would work for ${occasion(words)}?`,
        `Which day and time suit you for ${occasion(words)}?`,
      ];
    case "time":
      return [`What time works best${forWhat(words)}?`, `Which time would suit you${forWhat(words)}?`];
    case "number":
      if (DONE_IN.test(words))
        return [`What ${words.replace(" ", " was it ")}?`, `Do you know what ${words.replace(" ", " it was ")}?`];
      return COUNTED.test(words)
        ? [`How many ${words.replace(COUNT, "")}?`, `What number of ${words.replace(COUNT, "")} is it?`]
        : [`What is your ${words}?`, `Roughly, what is your ${words}?`];
    case "choice":
      return field.choices.join().length > MOST_LISTED
        ? [`Which would it be for ${words}?`, `What fits best for ${words}?`]
        : words === listed(field.choices).toLowerCase()
          ? [`Which is it, ${listed(field.choices)}?`, `Would that be ${listed(field.choices)}?`]
          : [`Which fits best for ${words}: ${listed(field.choices)}?`, `Would that be ${listed(field.choices)}?`];
    case "place":
      return words === "city" || words === "town"
        ? ["What city are you in?", "Which city is that?"]
        : [`What is your ${words}?`, `Which place is your ${words}?`];
    default:
      return [`What is your ${words}?`, `And your ${words}, what is it?`];
  }
}

/** `year_built`. */
const DONE_IN = /^year (?:built|made|bought|\w+ed)$/;
const COUNT = /^(?:number of|num|count of|how many) /;
const COUNTED = /^(?:number of|num|count of|how many) |(?:feet|people|children|[a-z]{2}[^su\W]s)$/;

const occasion = (words: string): string => {
  const event = /appointment|meeting|visit|tour|demo|viewing|inspection|test drive/.exec(words)?.[0];
  return event === undefined ? "you" : `the ${event}`;
};

function forWhat(words: string): string {
  const event = words.replace(/\b(?:preferred|best|time|hour)\b/g, "").trim();
  return event === "" ? "" : ` for your ${event}`;
}

/** "The age of the person" may be of somebody else. */
const WHO =
  "(?<!\\bof )(?<!\\bin )(?<!\\bper )(?<!\\bof (?:the|an?) )(?:the |a )?(?:lead|contact|customer|client|user|prospect|person|caller|they|he|she)";
const IN_THE_SECOND_PERSON: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`\\b${WHO}['’]s\\b|\\b(?:their|his|her)\\b`, "gi"), "your"],
  [new RegExp(`\\b${WHO} (?:is|are)\\b`, "gi"), "you are"],
  [new RegExp(`\\b${WHO} has\\b`, "gi"), "you have"],
  [new RegExp(`\\b${WHO} (\\w+[^s\\s])s\\b`, "gi"), "you $1"],
  [new RegExp(`\\b${WHO}\\b(?! (?:type|status|list))`, "gi"), "you"],
];
/** "By what date they need them": who needs is spoken to, and what is needed is not. */
function withoutSubject(text: string): string {
  const at = [...text.matchAll(/\bthem\b/gi)].at(-1)?.index;
  const isOfTheirs = at === undefined || /\b(?:they|you)\b/i.test(text.slice(0, at));
  return isOfTheirs ? text : `${text.slice(0, at)}you${text.slice(at + "them".length)}`;
}
const MODAL = /^(.{2,60}?) (may|can|could|should|will|would) (.+)$/;

/** A description is a question already, or says in the third person what to find out. */
function fromDescription(description: string, kind: FieldKind): string | undefined {
  const text = trimEndOf(description.trim(), ". \n\t");
  if (text === "" || text.length > 160 || /[{}<>]/.test(text)) return undefined;
  if (text.endsWith("?")) return capitalized(text);
  const own = IN_THE_SECOND_PERSON.reduce((words, [third, second]) => words.replace(third, second), text);
  const start = decapitalized(withoutSubject(own).replace(UNIT_BEHIND, ""));
  const guess = ABOUT_HOW.exec(start);
  if (guess !== null) return `${capitalized(guess[1]!)} ${decapitalized(turnedAfter(guess[2]!))}`;
  const [first = "", ...others] = start.split(" ");
  const rest = others.join(" ");
  if (first === "whether" || first === "if") return turned(rest);
  const last = /^when ((?:the|your|it|an?) ?(?:\w+ ){0,2}?\w+|it) (was|were) (.+)$/.exec(start);
  if (last) return `When ${last[2]} ${last[1]} ${last[3]}?`;
  const by = /^by when (you .+)$/.exec(start);
  if (by) return `By when do ${by[1]}?`;
  if (/^(?:where|when|how)$/.test(first) && /^to \w/.test(rest))
    return `${capitalized(first)} should we ${rest.slice(3)}?`;
  if (/^(?:when|where)$/.test(first) && OF_SOMETHING.test(start) && !MODAL.test(rest)) return turnedAfter(start);
  if (first === "when" || (first === "where" && !/^(?:in|on|at) /.test(rest))) return asked(capitalized(first), rest);
  if (first === "where") {
    const place = OF_SOMETHING.test(start) ? turnedAfter(start) : undefined;
    if (place !== undefined) return place;
    const part = /^(where (?:on|in|at) (?:the|your) \w+) (it|(?:the|your) \w+) (goes|hurts|sits|belongs)$/.exec(start);
    if (part) return `${capitalized(part[1]!)} does ${part[2]} ${part[3]!.replace(/(?<=go)es$|s$/, "")}?`;
    const own = /^where (it|he|she|(?:the|your) \w+) (\w+[^s])s$/.exec(start);
    return own ? `Where does ${own[1]} ${own[2]}?` : turnedAfter(start);
  }
  if (
    first === "how" &&
    /^(?:much|many|old|long|soon|often|big|large|small|tall|heavy|far|wide|high)$/.test(others[0] ?? "")
  )
    return turnedAfter(start);
  if (first === "which" || first === "what" || OF_WHAT.test(start)) return turnedAfter(start);
  if (/^(?:why|who|how)$/.test(first)) return `Could you tell me ${start}?`;
  if (kind === "choice" && / or /.test(start)) return `Which is better for you, ${start}?`;
  if (kind === "number" && start.startsWith("number of ")) return `What is the ${start}?`;
  const good = /^(?:the |your |an? )?(good|best|right|convenient) (time|day|day and time) (for .+|to .+)$/.exec(start);
  if (good) return `What would be a good ${good[2]} ${good[3]}?`;
  if (first === "any") return `${PLURAL.test(start) ? "Are" : "Is"} there ${start}?`;
  return `What ${PLURAL.test(start) ? "are" : "is"} ${/^(?:your|the|a|an|its)\b/.test(start) ? "" : "the "}${start}?`;
}

const ABOUT_HOW = /^(about|roughly|approximately) (how (?:many|much|old|long|often|big|large|far) .+)$/;
const OF_WHAT = /^(?:by|for|at|in|on|to|from|with|of) (?:what|which) /;
/** "How much they want, in dollars": nobody asks for the unit. */
const UNIT_BEHIND = /, in (?:dollars|years|months|feet|pounds|square feet|usd|miles|hours)$/;
/** `the foods you do not eat`, `health concerns we should know`. */
const PLURAL =
  /^(?:the |your |any )?(?:(?!that|which|who|of|to|for)\w+ ){0,2}(?!this|is|was|us|address|business|process|access|status|bus|gas|class|loss|illness|diagnosis|basis|focus|virus|campus|bonus|vs|his|its|as)\w+[^s\W]s(?: (?:you|we|that|they|for|of|in|on|to|such as|like)\b.*)?$/;

/** `you own the home` -> `Do you own the home?`; `the roof is damaged` -> `Is the roof damaged?` */
function turned(clause: string): string | undefined {
  const own = /^you (are|were|have to|can|could|would|will|need|have) (.+)$/.exec(clause);
  if (own && /^(?:are|were|can|could|would|will)$/.test(own[1]!)) return `${capitalized(own[1]!)} you ${own[2]}?`;
  if (own?.[1] === "have" && HAVE_DONE.test(own[2]!)) return `Have you ${own[2]}?`;
  // "You noticed smoke".
  const past = /^you (\w{3,}ed)\b(.*)$/.exec(clause);
  if (past && !/^(?:need|feed|speed|succeed|proceed)/.test(past[1]!)) return `Have you ${past[1]}${past[2]}?`;
  if (clause.startsWith("you ")) return `Do ${clause}?`;
  const other = /^(.{2,60}?) (is|are|was|were|has|have|can|could|will|would|should) (.+)$/.exec(clause);
  // "Your prescription changed in the last year".
  const done = other ? null : /^((?:your|the) \w+(?: \w+)?|it) (\w+ed)\b(.*)$/.exec(clause);
  if (done) return `Has ${done[1]} ${done[2]}${done[3]}?`;
  return other ? `${capitalized(other[2]!)} ${other[1]} ${other[3]}?` : `Could you tell me whether ${clause}?`;
}

const HAVE_DONE =
  /^(?:\w+ed|already|ever|never|been|done|made|given|taken|had|bought|sold|seen|gone|worked|driven|flown|tried|met|got|gotten|sent|paid|left|lost|found|heard|read|written|spoken|eaten|chosen|begun|set|put|kept|held|built|taught|thought|brought|known|grown|slept|ridden|spent|won|run|stood)\b/;

/** `When`, `an agent may call you` -> `When may an agent call you?` */
function asked(word: string, clause: string): string {
  const modal = MODAL.exec(clause);
  if (modal) return `${word} ${modal[2]} ${modal[1]} ${modal[3]}?`;
  return clause.startsWith("you ") ? `${word} do ${clause}?` : `${word} ${clause}?`;
}

/** `how much you want to borrow`, `which day suits you`: the question word and its noun stay in front. */
function turnedAfter(clause: string): string {
  // "How many months you are behind".
  const state = /^(how (?:many|much) \w+|what \w+|which \w+) (?:you are|you're) (.+)$/.exec(clause);
  if (state) return `${capitalized(state[1]!)} are you ${state[2]}?`;
  const kind = /^((?:what|which) \w+(?: \w+){0,4}?) (it|this|that|(?:the|your) \w+) (is|are)$/.exec(clause);
  if (kind) return `${capitalized(kind[1]!)} ${kind[3]} ${kind[2]}?`;
  if (MOVES_YOU.test(clause)) return `${capitalized(clause)}?`;
  const there = /^(how (?:many|much) \w+(?: \w+)?) there (are|is)(| .+)$/.exec(clause);
  if (there) return `${capitalized(there[1]!)} ${there[2]} there${there[3]}?`;
  const is = /^(what|which|how \w+) (.{2,60}?) (is|are)(| \w+| in \w+(?: \w+)?)$/.exec(clause);
  if (is) return `${capitalized(is[1]!)} ${is[3]} ${is[2]}${is[4]}?`;
  const plural = /^(how many \w+|which \w+|what \w+) ((?:the|your) \w+s) (have|need|use|want|take)$/.exec(clause);
  if (plural) return `${capitalized(plural[1]!)} do ${plural[2]} ${plural[3]}?`;
  // "How many stories the house has", "how old the roof is".
  const own =
    /^(how many \w+|which \w+|what \w+) (the|your) (\w+(?: \w+){0,2}) (has|needs|uses|gets|takes|weighs|costs)$/.exec(
      clause,
    );
  if (own)
    return `${capitalized(own[1]!)} does ${own[2]} ${own[3]} ${own[4]!.replace(/^has$/, "have").replace(/s$/, "")}?`;
  const other = OF_SOMETHING.exec(clause);
  if (other) {
    const [, head, thing, verb, rest] = other;
    return AUXILIARY.test(verb!)
      ? `${capitalized(head!)} ${verb} ${thing} ${rest}?`
      : `${capitalized(head!)} does ${thing} ${verb!.replace(/(?<=(?:sh|ch|ss|x|o))es$|s$/, "")}${rest === "" ? "" : ` ${rest}`}?`;
  }
  const parts = /^(.{3,80}?) you (are|have|can|would|will|want|need|expect|like|\w+)\b(.*)$/.exec(clause);
  if (parts === null) return turnedBack(clause) ?? `${capitalized(clause)}?`;
  const [, head, verb, tail] = parts;
  if (verb === "have" && HAVE_DONE.test(tail!.trim())) return `${capitalized(head!)} have you${tail}?`;
  return /^(?:are|can|would|will)$/.test(verb!)
    ? `${capitalized(head!)} ${verb} you${tail}?`
    : `${capitalized(head!)} do you ${verb}${tail}?`;
}

/** `what year the house was built`, `how many square feet the attic has`. */
function turnedBack(clause: string): string | undefined {
  const should = /^(how (?:many|much) \w+) ((?:the|your) \w+(?: \w+)?) (should|will|can|must) (\w+(?: \w+){0,3})$/.exec(
    clause,
  );
  if (should) return `${capitalized(should[1]!)} ${should[3]} ${should[2]} ${should[4]}?`;
  const was =
    /^((?:what|which|how) \w+(?: \w+)?) ((?:the|your) \w+(?: \w+)?) (was|were|is|are) (\w+(?: \w+){0,3})$/.exec(clause);
  if (was) return `${capitalized(was[1]!)} ${was[3]} ${was[2]} ${was[4]}?`;
  const has = /^(how (?:many|much) \w+ \w+) ((?:the|your) \w+(?: \w+)?) (has|holds|needs|takes|uses|covers|gets)$/.exec(
    clause,
  );
  return has
    ? `${capitalized(has[1]!)} does ${has[2]} ${has[3]!.replace(/^has$/, "have").replace(/s$/, "")}?`
    : undefined;
}

/** "What bothers you about the water" is a question as it stands. */
const MOVES_YOU =
  /^(?:what|which \w+|who) (?:bothers|hurts|brings|interests|worries|concerns|suits|keeps|stops|holds|motivates|made|makes|helps|fits|drives|happened|matters|works) (?:to |for |with )?you\b/;

/** `how long the fence should be in feet`, `where the wedding takes place`: of something else than the contact. */
const OF_SOMETHING =
  /^((?:where|when|how \w+|what|which(?: \w+)?|what \w+)) ((?:the|your|an?|his|her|their) \w+|it) (should|can|could|will|would|may|must|is|takes|happens|begins|starts|ends|looks|hurts|goes|comes|lives|works|stands|costs|weighs|needs|opens|closes|leaves|arrives)\b ?(.*)$/;
const AUXILIARY = /^(?:should|can|could|will|would|may|must|is)$/;

function yesNo(words: string): string {
  const [first = "", ...others] = words.split(" ");
  const rest = others.join(" ");
  const person = /(?:er|or|ian|ist|eran|ent|tenant|member)$/.test(rest) && others.length === 1;
  const article = person ? (/^[aeiou]/.test(rest) ? "an " : "a ") : "";
  if (/^(?:is|are|was)$/.test(first)) return `Are you ${article}${rest}?`;
  if (/^(?:has|have|had)$/.test(first)) return `Do you have ${rest}?`;
  if (/^(?:do|does|did)$/.test(first)) return `Do you ${rest}?`;
  if (/^(?:own|want|need)s?$/.test(first)) return `Do you ${first.replace(/s$/, "")} ${rest.replace(/^to /, "to ")}?`;
  if (first === "looking") return `Are you ${words}?`;
  if (/^(?:can|will|would)$/.test(first)) return `${capitalized(first)} you ${rest}?`;
  if (/^(?:currently|already)\b/.test(words) || (others.length === 0 && words.endsWith("ed")))
    return `Are you ${words}?`;
  if (/^\w+(?:nt|ed|ing|ble|ful|ous|ive) or \w+(?:nt|ed|ing|ble|ful|ous|ive)$/.test(words)) return `Are you ${words}?`;
  return `Is this a yes for you: ${words}?`;
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const decapitalized = (text: string): string =>
  /^I\b/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);

/** More choices than a text has room for are not listed. */
const MOST_LISTED = 120;

const listed = (choices: readonly string[]): string =>
  choices.length < 2 ? choices.join("") : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
