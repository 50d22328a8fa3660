const made = new Map<string, Intl.DateTimeFormat>();

/** One format for all that ask for the same: to make one takes longer than to write a hundred dates with it. */
export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const format = made.get(key) ?? new Intl.DateTimeFormat(locale, options);
  made.set(key, format);
  return format;
}
