/** The words of a contact's field `tags`. A comma separates them, as we write it; files of others have semicolons. */
export const tagsOf = (tags: string): string =>
  `unnest(string_to_array(translate(${tags}, ';', ','), ',')) with ordinality as word (text, place)`;

/** Whether a field `tags` has the tag that `bound` stands for, in whatever letters. */
export const hasTag = (tags: string, bound: string): string =>
  `exists (select from ${tagsOf(tags)} where lower(trim(word.text)) = lower(${bound}))`;
