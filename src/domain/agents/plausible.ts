import type { ExtractionField } from "./extraction-field.ts";
import { type FieldKind, kindOf } from "./field-kind.ts";

/** A word for a day, a time or a part of a year. */
const TIME_WORD =
  /\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|today|tonight|tomorrow|now|noon|midnight|morning|afternoon|evening|night|lunch|week|weekend|weekday|month|year|day|spring|summer|fall|autumn|winter|soon|asap|anytime|any time|immediately|later|after|before|lunes|martes|miercoles|jueves|viernes|sabado|domingo|manana|tarde|noche|hoy|christmas|thanksgiving|easter)\w*/;
const NUMBER_WORD =
  /\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|none|couple|few|half|dozen)\b/;

/** An amount, a time, an address or a name in a contact's words; what is longer is a story, or a model's own instructions. */
const MAX_VALUE = 320;
/** Any name of a person is shorter. */
const MAX_NAME = 100;

const CHECKS: Partial<Record<FieldKind, (value: string, plain: string) => boolean>> = {
  email: (value) => /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(value) && value.split("@")[1]!.includes("."),
  phone: (value) => value.replace(/\D/g, "").length >= 7,
  zip: (value) => /\d/.test(value) && value.length <= 12,
  money: (value, plain) => /\d/.test(value) || NUMBER_WORD.test(plain),
  number: (value, plain) => /\d/.test(value) || NUMBER_WORD.test(plain),
  date: isTime,
  time: isTime,
  moment: isTime,
  call_time: isTime,
  name: isName,
  first_name: isName,
  last_name: isName,
  place: (value) => /\p{L}/u.test(value) && !value.includes("@"),
};

/** A day or a time has a digit or a word for one, and is no number alone that could be a price or a postal code. */
function isTime(value: string, plain: string): boolean {
  return (
    !/^[\d\s$€£.,-]{5,}$/.test(value.replace(/\d{4}-\d\d-\d\d/, "date")) &&
    (/\d/.test(value) || TIME_WORD.test(plain) || NUMBER_WORD.test(plain))
  );
}

function isName(value: string): boolean {
  return /\p{L}/u.test(value) && !/[\d@]/.test(value) && value.length <= MAX_NAME;
}

/**
 * Whether a value can be of the kind that its field's name and description speak of: an e-mail address has an @, an amount a number, a day is no
 * postal code. Lenient: only what cannot be one is refused. True where the field is of no kind that can be checked.
 */
export function isPlausible(value: string, field: ExtractionField): boolean {
  if (field.type !== "string") return true;
  const plain = value.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
  const check = CHECKS[kindOf(field)];
  return check === undefined || (value.length <= MAX_VALUE && check(value, plain));
}
