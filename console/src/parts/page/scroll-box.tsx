import type { ReactNode } from "react";

/** What is too wide or too long for its place, and scrolls there: by keyboard too. */
export function ScrollBox({ label, maxHeight, children }: { label: string; maxHeight: number; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus a keyboard could not scroll it.
    <section aria-label={label} tabIndex={0} style={{ maxHeight, overflow: "auto" }}>
      {children}
    </section>
  );
}
