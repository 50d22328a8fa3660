import type { ReactNode } from "react";

/** A page that takes all the room below the head and scrolls within, as one with panes does. */
export function FullPage({ children }: { children: ReactNode }) {
  return <div className="parley-full">{children}</div>;
}
