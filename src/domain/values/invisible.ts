/** Nothing to clean: printable ASCII and line feeds. Nearly every text is, and this is the hot path. */
const PLAIN = /^[ -~\n]*$/;

/**
 * What a phone does not show but a carrier, a model or a reader of logs would see: controls, bidirectional
 * overrides, zero-width characters, language tags (text that hides instructions), fillers that look like nothing.
 * The joiners U+200C and U+200D stay: emoji and Persian are made with them.
 */
const INVISIBLE =
  /(?!\n)[\p{Cc}\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** More marks than this on one letter belong to no language, they only paint over the lines around. */
const MARK_FLOOD = /(\p{M}{4})\p{M}+/gu;

/**
 * The text as a person would see it: line ends are `\n`, a tab is a space, everything invisible is gone, a lone
 * surrogate is U+FFFD. The same text comes back when there was nothing to clean.
 */
export function stripInvisible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    .replaceAll("\t", " ")
    .replace(INVISIBLE, "")
    .replace(MARK_FLOOD, "$1");
}
