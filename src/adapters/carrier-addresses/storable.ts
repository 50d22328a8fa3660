/** Whether PostgreSQL stores it: no NUL, and no half of a pair. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** The same text without what cannot be stored. */
export const storable = (text: string): string => text.replaceAll("\0", "").toWellFormed();
