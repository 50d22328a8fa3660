/** A question that takes longer is not waited for by those that came after it: its connection may lead nowhere. */
const STALLED_MS = 100;

/**
 * Asks the database for all that come while a question is on its way by one statement: the next, which is sent when that one is answered, or has
 * stalled. An item is in no question that was sent before it came: what was committed before it came is in its answer.
 */
export function inBatches<Item, Answer>(
  ask: (items: readonly Item[]) => Promise<Answer>,
): (item: Item) => Promise<Answer> {
  let next: { items: Item[]; answer: Promise<Answer>; send(): void } | undefined;
  /** Of the last question that was sent, until it is answered. */
  let sent: { stalls: NodeJS.Timeout } | undefined;

  const batch = () => {
    const items: Item[] = [];
    const { promise: answer, resolve } = Promise.withResolvers<Answer>();
    // Of whoever waits for it; a batch has one at least.
    const send = () => {
      next = undefined;
      const mine = { stalls: setTimeout(() => over(mine), STALLED_MS) };
      sent = mine;
      const asked = ask(items);
      resolve(asked);
      asked.then(
        () => over(mine),
        () => over(mine),
      );
    };
    return { items, answer, send };
  };
  const over = (mine: typeof sent) => {
    clearTimeout(mine?.stalls);
    if (sent !== mine) return;
    sent = undefined;
    next?.send();
  };
  return (item) => {
    next ??= batch();
    const { items, answer, send } = next;
    items.push(item);
    if (sent === undefined) send();
    return answer;
  };
}
