import { useEffect, useState } from "react";

/**
 * What somebody has filled in so far, kept for as long as the tab is open: leaving the page or loading it anew loses nothing.
 *
 * @param name one for each form and organization
 * @param first what a new form begins with; it decides which fields there are
 * @returns the draft, what changes some of its fields, what ends it, and whether it was found from before
 */
export function useDraft<Draft extends object>(
  name: string,
  first: () => Draft,
): { draft: Draft; change: (some: Partial<Draft>) => void; startOver: () => void; isFound: boolean } {
  const item = `parley-draft-${name}`;
  const [state, setState] = useState(() => {
    const kept = sessionStorage.getItem(item);
    return { draft: kept === null ? first() : ({ ...first(), ...JSON.parse(kept) } as Draft), isFound: kept !== null };
  });
  const [isChanged, setChanged] = useState(false);
  useEffect(() => {
    if (!isChanged) return;
    try {
      sessionStorage.setItem(item, JSON.stringify(state.draft));
    } catch {
      // A hundred thousand pasted contacts are more than a browser keeps: the draft lives on this page only.
      sessionStorage.removeItem(item);
    }
  }, [item, state.draft, isChanged]);
  return {
    draft: state.draft,
    isFound: state.isFound,
    change: (some) => {
      setChanged(true);
      setState((before) => ({ ...before, draft: { ...before.draft, ...some } }));
    },
    startOver: () => {
      sessionStorage.removeItem(item);
      setChanged(false);
      setState({ draft: first(), isFound: false });
    },
  };
}
