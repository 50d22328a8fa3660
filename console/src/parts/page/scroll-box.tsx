import { Text } from "@mantine/core";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";

/** What counts as a row: it is shown whole or not at all. */
const ROWS = "tr, [data-line]";

/** What is too wide or too long for its place, and scrolls there: by keyboard too. It ends below a whole row, and says how many there are. */
export function ScrollBox({ label, maxHeight, children }: { label: string; maxHeight: number; children: ReactNode }) {
  const box = useRef<HTMLElement>(null);
  const [fit, setFit] = useState({ height: maxHeight, hidden: 0, rows: 0 });
  useLayoutEffect(() => {
    const measure = () => {
      const { top } = box.current!.getBoundingClientRect();
      const ends = [...box.current!.querySelectorAll(ROWS)].map(
        (row) => row.getBoundingClientRect().bottom - top + box.current!.scrollTop,
      );
      const shown = ends.filter((end) => end <= maxHeight);
      const hidden = ends.length - shown.length;
      const height = hidden > 0 ? (shown.at(-1) ?? maxHeight) : maxHeight;
      setFit((before) =>
        before.height === height && before.hidden === hidden && before.rows === ends.length
          ? before
          : { height, hidden, rows: ends.length },
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    for (const child of box.current!.children) observer.observe(child);
    return () => observer.disconnect();
  }, [maxHeight]);
  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus a keyboard could not scroll it. */}
      <section ref={box} aria-label={label} tabIndex={0} style={{ maxHeight: fit.height, overflow: "auto" }}>
        {children}
      </section>
      {fit.hidden > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          {fit.rows} in all: scroll for the rest
        </Text>
      )}
    </div>
  );
}
