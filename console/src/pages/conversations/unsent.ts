/** What somebody typed in a conversation and has not sent: a text with the addresses of its pictures, and a note. */
export type Unsent = { text: string; note: string; pictures: readonly string[] };

const NOTHING: Unsent = { text: "", note: "", pictures: [] };
const itemOf = (threadId: string): string => `parley-draft-conversation-${threadId}`;

/** Also what the browser refused to store. */
const read = new Map<string, Unsent>();

/** Kept for as long as the tab is open: opening another conversation or loading the page anew loses nothing. */
export function unsentOf(threadId: string): Unsent {
  let unsent = read.get(threadId);
  if (unsent === undefined) {
    const kept = sessionStorage.getItem(itemOf(threadId));
    unsent = kept === null ? NOTHING : { ...NOTHING, ...(JSON.parse(kept) as Partial<Unsent>) };
    read.set(threadId, unsent);
  }
  return unsent;
}

/** Outside of a component: a text is sent to its end, and then forgotten, while another conversation is already open. */
export function keepUnsent(threadId: string, some: Partial<Unsent>): void {
  const unsent = { ...unsentOf(threadId), ...some };
  read.set(threadId, unsent);
  if (unsent.text === "" && unsent.note === "" && unsent.pictures.length === 0) {
    sessionStorage.removeItem(itemOf(threadId));
    return;
  }
  try {
    sessionStorage.setItem(itemOf(threadId), JSON.stringify(unsent));
  } catch {
    // The browser's storage is full: the draft lives on this page only.
    sessionStorage.removeItem(itemOf(threadId));
  }
}
