/** Whether PostgreSQL stores it: no NUL, and no half of a pair. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** The same text without what cannot be stored: each NUL is left out, or becomes `nul`; half a pair becomes a replacement character. */
export const storable = (text: string, nul = ""): string => text.replaceAll("\0", nul).toWellFormed();
