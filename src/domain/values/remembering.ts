/** About as many texts as the conversations have that a process holds at once. */
const MOST_TEXTS = 4_000;
/** In UTF-16 units. Texts that people write are shorter; what is not is read anew each time. */
const LONGEST = 500;

/**
 * The same pure reading of a text, which answers from memory what it has lately read: a conversation's texts are read again with each that comes. Of the
 * `most` that are kept the one whose turn was longest ago makes room for a new one. Answers are shared: nobody changes them.
 */
export function remembering<Answer extends object>(
  read: (text: string) => Answer,
  most = MOST_TEXTS,
): (text: string) => Answer {
  const known = new Map<string, Answer>();
  return (text) => {
    const before = known.get(text);
    if (before === undefined && text.length > LONGEST) return read(text);
    const answer = before ?? read(text);
    // A map's entries are in the order in which they were put there.
    if (before !== undefined) known.delete(text);
    else if (known.size >= most) known.delete(known.keys().next().value!);
    known.set(text, answer);
    return answer;
  };
}
