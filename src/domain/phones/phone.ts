import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import { stripInvisible } from "#domain/values/invisible.ts";

/** A number in E.164, or what is wrong, worded to follow a field's name: "must not have an extension". */
export type NormalizedPhone = { phone: string } | { problem: string };

/** ISO 3166 code for "no country": satellite and other numbers that belong to none. */
const NO_COUNTRY = "ZZ";

const NANP = /^\+1([2-9]\d\d)([2-9]\d\d)\d{4}$/;
const TEST_RANGE = /^\+1[2-9]\d\d55501\d\d$/;

/** No number with its punctuation is longer; what is longer is not looked at. */
const MAX_RAW_LENGTH = 64;

/** US territories' area codes. libphonenumber knows only exchanges in use there; 555-01XX is not one of them. */
const TERRITORIES = new Set(["340", "670", "671", "684", "787", "939"]);

/** An exchange that every area code has, by which libphonenumber is asked about the area code alone. */
const ANY_EXCHANGE = "2345678";

const areaCodeCountries = new Map<string, string | undefined>();

/**
 * Whose the area code is: "US" (with its territories and the shared toll-free codes), "CA", "premium", or undefined
 * for any other. At most 800 answers are kept: the numbers of a campaign share few area codes, and asking
 * libphonenumber for each number instead costs fifty times as much.
 */
function areaCodeCountry(areaCode: string): string | undefined {
  if (areaCodeCountries.has(areaCode)) return areaCodeCountries.get(areaCode);
  const sample = parsePhoneNumberFromString(`+1${areaCode}${ANY_EXCHANGE}`);
  let country: string | undefined;
  if (TERRITORIES.has(areaCode)) country = "US";
  else if (sample?.isValid() && sample.getType() === "PREMIUM_RATE") country = "premium";
  else if (sample?.isValid() && (sample.country === "US" || sample.country === "CA")) country = sample.country;
  areaCodeCountries.set(areaCode, country);
  return country;
}

/** A well-formed +1 number: N11 and premium exchanges out, then the area code must exist. */
function checkNanp(phone: string, areaCode: string, exchange: string): NormalizedPhone {
  if (exchange.endsWith("11")) return { problem: "must not be a service number such as 411 or 911" };
  if (exchange === "976") return { problem: "must not be a premium-rate number" };
  const country = areaCodeCountry(areaCode);
  if (country === "US" || country === "CA") return { phone };
  if (country === "premium") return { problem: "must not be a premium-rate number" };
  if (parsePhoneNumberFromString(phone)?.isValid()) return { phone };
  return { problem: `must have an area code that exists, ${areaCode} does not` };
}

/**
 * The E.164 form of what a person or a file calls a phone number; numbers without `+` are read as in the US.
 *
 * Within US and Canadian area codes every exchange passes, since they are handed out weekly and 555-01XX (reserved
 * for tests, used by the simulator) must pass; elsewhere libphonenumber's full rules hold. Arabic-Indic, Persian and
 * full-width digits are read as digits, so that one person is not two numbers. Letters, extensions, addresses
 * (sip:, tel:), service and emergency numbers and premium numbers are refused. A valid number of another
 * country is not refused here: see countryOfPhone.
 */
export function normalizePhone(raw: string): NormalizedPhone {
  const normal = NANP.exec(raw);
  return normal ? checkNanp(raw, normal[1]!, normal[2]!) : readPhone(raw);
}

const SEPARATORS = /[\s().\-/\u2010-\u2015\u2212]/g;
const ADDRESS = /^[a-z]+:|@/i;
const EXTENSION_WORD = /\d\s*(?:ext(?:ension)?|x)$/i;
const EXTENSION_MARK = /\d\s*[#,;]/;
const EXTENSION_PARAMETER = /;\s*ext\s*=/i;
const EMERGENCY = /^(?:\+?1)?(?:[2-9]11|988|112|999)$/;
const OTHER_DIGITS = /[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g;

/** `ext 5`, `x5`, `#5`, `,5` or `;ext=5` after a digit, and no word after it. */
function hasExtension(text: string): boolean {
  let words = text.length;
  while (words > 0 && !/\p{L}/u.test(text[words - 1]!)) words--;
  const after = text.slice(words);
  return EXTENSION_WORD.test(text.slice(0, words)) || EXTENSION_MARK.test(after) || EXTENSION_PARAMETER.test(text);
}

function readPhone(raw: string): NormalizedPhone {
  if (raw.length > MAX_RAW_LENGTH) return { problem: "must have at most 15 digits" };
  const text = stripInvisible(raw).trim();
  if (text === "") return { problem: "must not be empty" };
  if (ADDRESS.test(text)) return { problem: "must be a phone number, not an address" };
  if (hasExtension(text)) return { problem: "must not have an extension" };
  if (/\p{L}/u.test(text)) return { problem: "must not contain letters" };

  const ascii = text.replace(OTHER_DIGITS, digitOf).replace("\uff0b", "+");
  const compact = ascii.replace(SEPARATORS, "");
  if (!/^\+?\d*$/.test(compact)) return { problem: "must contain only digits, a leading + and ( ) . - /" };
  if (EMERGENCY.test(compact)) return { problem: "must not be an emergency or service number" };
  const digits = compact.replace("+", "");
  if (digits.length > 15 && !digits.startsWith("011")) return { problem: "must have at most 15 digits" };
  if (digits.length < (compact.startsWith("+") ? 8 : 10))
    return { problem: "must have more digits, with its area code" };
  return checkDigits(compact);
}

function digitOf(char: string): string {
  const code = char.charCodeAt(0);
  const zero = code >= 0xff10 ? 0xff10 : code >= 0x06f0 ? 0x06f0 : 0x0660;
  return String(code - zero);
}

/** `compact` is digits with or without a leading +. */
function checkDigits(compact: string): NormalizedPhone {
  const parsed = parsePhoneNumberFromString(compact, { defaultCountry: "US", extract: false });
  if (parsed === undefined) return { problem: "must be a phone number" };
  const normal = NANP.exec(parsed.number);
  if (normal) return checkNanp(parsed.number, normal[1]!, normal[2]!);
  if (!parsed.isValid()) return { problem: "must be a valid phone number" };
  if (parsed.getType() === "PREMIUM_RATE") return { problem: "must not be a premium-rate number" };
  return { phone: parsed.number };
}

/**
 * The country of an E.164 number: "US" (with Puerto Rico and the other territories, and the toll-free codes it shares),
 * "CA", another ISO 3166 code, or "ZZ" when it belongs to none. Parley sends to "US" and "CA" by default.
 */
export function countryOfPhone(phone: string): string {
  const normal = NANP.exec(phone);
  const country = normal ? areaCodeCountry(normal[1]!) : undefined;
  if (country !== undefined) return country === "premium" ? "US" : country;
  return parsePhoneNumberFromString(phone)?.country ?? NO_COUNTRY;
}

/** How people write the number: `(212) 555-0123`, or the international form outside +1. */
export function prettyPhone(phone: string): string {
  if (NANP.test(phone)) return `(${phone.slice(2, 5)}) ${phone.slice(5, 8)}-${phone.slice(8)}`;
  return parsePhoneNumberFromString(phone)?.formatInternational() ?? phone;
}

/** Whether the number is one of 555-0100 to 555-0199, which no telephone company hands out. */
export const isTestRange = (phone: string): boolean => TEST_RANGE.test(phone);
