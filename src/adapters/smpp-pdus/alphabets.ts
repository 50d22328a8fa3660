/** GSM 03.38's default alphabet, by septet; 0x1b escapes to the extension. */
const BASIC =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
const EXTENSION: readonly [number, string][] = [
  [0x0a, "\f"],
  [0x14, "^"],
  [0x28, "{"],
  [0x29, "}"],
  [0x2f, "\\"],
  [0x3c, "["],
  [0x3d, "~"],
  [0x3e, "]"],
  [0x40, "|"],
  [0x65, "€"],
];
const ESCAPE = 0x1b;
/** By code unit: the septet, with the escape in the high octet where it needs one; -1 = not in the alphabet. */
const SEPTETS = new Int16Array(0x20ad).fill(-1);
for (const [septet, char] of [...BASIC].entries()) if (septet !== ESCAPE) SEPTETS[char.charCodeAt(0)] = septet;
for (const [septet, char] of EXTENSION) SEPTETS[char.charCodeAt(0)] = (ESCAPE << 8) | septet;
const EXTENDED = new Map(EXTENSION);

export type Alphabet = "gsm" | "latin1" | "ucs2";
/** data_coding of each; 0 is "the gateway's default", which is what all but a few take for GSM 03.38. */
export const DATA_CODING = { gsm: 0, latin1: 3, ucs2: 8 } as const;

/** Octets that stand for one character each time: where a text may be cut. Undefined when a character is not in the alphabet. */
export function encodeText(text: string, alphabet: Alphabet): Uint8Array[] | undefined {
  const units: Uint8Array[] = [];
  for (const char of text) {
    const code = char.codePointAt(0)!;
    if (alphabet === "ucs2") {
      units.push(Buffer.from(char, "utf16le").swap16());
    } else if (alphabet === "latin1") {
      if (code > 0xff) return undefined;
      units.push(Uint8Array.of(code));
    } else {
      const septet = SEPTETS[code] ?? -1;
      if (septet < 0) return undefined;
      units.push(septet > 0xff ? Uint8Array.of(ESCAPE, septet & 0xff) : Uint8Array.of(septet));
    }
  }
  return units;
}

/** Unpacked: one octet for each septet. What the extension does not know is the plain character, as GSM 03.38 asks. */
function decodeGsm(octets: Uint8Array): string {
  let text = "";
  for (let i = 0; i < octets.length; i++) {
    const septet = octets[i]! & 0x7f;
    if (septet !== ESCAPE) text += BASIC[septet];
    else if (i + 1 < octets.length) {
      const next = octets[++i]! & 0x7f;
      text += EXTENDED.get(next) ?? (next === ESCAPE ? " " : BASIC[next]);
    }
  }
  return text;
}

/** An odd octet at the end is no character. A surrogate without its other half becomes U+FFFD: PostgreSQL and JSON take no other. */
const decodeUcs2 = (octets: Uint8Array): string =>
  Buffer.from(octets.subarray(0, octets.length & ~1))
    .swap16()
    .toString("utf16le")
    .toWellFormed();

/**
 * The text that these octets are, by their data_coding; `default` is what this gateway means by 0. Undefined for 8-bit data and for alphabets
 * that we do not read. Zero characters, which no text has, are taken out.
 */
export function decodeText(
  octets: Uint8Array,
  dataCoding: number,
  gatewaysDefault: "gsm" | "latin1",
): string | undefined {
  const alphabet = alphabetOf(dataCoding, gatewaysDefault);
  if (!alphabet) return undefined;
  const text =
    alphabet === "ucs2"
      ? decodeUcs2(octets)
      : alphabet === "gsm"
        ? decodeGsm(octets)
        : Buffer.from(octets).toString("latin1");
  return text.replaceAll("\0", "");
}

function alphabetOf(coding: number, gatewaysDefault: "gsm" | "latin1"): Alphabet | undefined {
  if (coding === 0) return gatewaysDefault;
  if (coding === 1 || coding === 3) return "latin1";
  if (coding === 8) return "ucs2";
  // GSM 03.38's groups with a message class or a waiting indication: bits 2 and 3 are the alphabet.
  if ((coding & 0xf0) === 0xf0) return (coding & 0x04) === 0 ? "gsm" : undefined;
  if ((coding & 0xc0) === 0xc0) return (coding & 0xf0) === 0xe0 ? "ucs2" : "gsm";
  if ((coding & 0xd0) === 0x10) return coding & 0x08 ? "ucs2" : coding & 0x04 ? undefined : "gsm";
  return undefined;
}
