/** The text without what it ends on of these characters. Linear: `/[.!]+$/` tries again at every one of a run that does not end the text. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}
