/**
 * Letters of other alphabets that look like Latin ones, and what they look like. People paste them, and phones'
 * keyboards mix them; someone who writes STОP with a Cyrillic O means STOP. Applied after NFKD and lower case.
 */
const LOOK_ALIKES = new Map<string, string>(
  [
    ..."аaвbеeкkмmнhоoрpсcтtуyхxіiїiјjѕsԁdһhԛqԝwѵvӏlгrпn".matchAll(/(.)(.)/gu),
    ..."αaβbεeζzηnιiκkμuνvοoρpτtυuχxγyσoωw".matchAll(/(.)(.)/gu),
    ..."օoսuոnհhյjցgԼl".matchAll(/(.)(.)/gu),
    ..."ıiłløođdħhŧtȷjɑaɡgɩiʟlɴnᴏoᴘpꜱsᴛtᴇeᴜuᴄcᴅdʀrʙbɪiᴀaᴍmᴋkᴠvᴡwʏyᴢzʜhɢgꜰf".matchAll(/(.)(.)/gu),
  ].map((match) => [match[1]!, match[2]!]),
);

/** Letters drawn in boxes: 🅂 decomposes by itself, these do not. Each row starts at its A. */
const BOXED_ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6];

const ASCII_ONLY = /^[ -~\s]*$/;

/**
 * A text as it sounds: Latin lower-case words and digits with one space between, no accents, no punctuation, no emoji,
 * look-alikes turned into what they look like. Apostrophes join (`don't` is `dont`). For comparing only.
 */
export function foldText(text: string): string {
  let folded = text.toLowerCase();
  if (!ASCII_ONLY.test(folded)) folded = latin(folded);
  return folded
    .replace(/['`]/g, "")
    .replace(/[^a-z0-9]+/g, " ")
    .trim();
}

function latin(text: string): string {
  let out = "";
  for (const char of text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\p{M}\p{Cf}’‘ʼ´]/gu, "")) {
    out += LOOK_ALIKES.get(char) ?? unboxed(char);
  }
  return out;
}

function unboxed(char: string): string {
  const code = char.codePointAt(0)!;
  for (const start of BOXED_ALPHABETS) {
    if (code >= start && code < start + 26) return String.fromCharCode(97 + code - start);
  }
  return char;
}
