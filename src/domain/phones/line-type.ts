/** What a phone's line is. `fixed_voip` is tied to a place and `voip` to none; `unknown`: who was asked does not know. */
export const LINE_TYPES = ["mobile", "landline", "voip", "fixed_voip", "toll_free", "other", "unknown"] as const;

/** People keep their numbers, and the kind of their line, for years: what was looked up less long ago is not asked for again. */
export const MAX_LINE_AGE_DAYS = 90;

export type LineType = (typeof LINE_TYPES)[number];

/** Nobody reads a text there. What is not known may be a mobile. */
export const takesTexts = (type: LineType): boolean => type !== "landline";
