import { Button, Group, UnstyledButton } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { useSearchParams } from "react-router";
import classes from "./steps.module.css";

export type Step = {
  key: string;
  title: string;
  content: ReactNode;
  /** Asked by Next: whether the step is complete. If not, it says at its fields what is missing. */
  passes?: () => boolean;
};

/**
 * A form in steps, one at a time: going back and forth loses nothing, and the browser's own Back goes a step back. The last
 * step has its own button for the end.
 */
export function Steps({ steps, last }: { steps: readonly Step[]; last: ReactNode }) {
  const [search, setSearch] = useSearchParams();
  const at = Math.max(
    0,
    steps.findIndex(({ key }) => key === search.get("step")),
  );
  const go = (index: number) =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      after.set("step", steps[index]!.key);
      return after;
    });
  // Behind Next the keyboard goes on with the first field of the step that has come.
  const content = useRef<HTMLDivElement>(null);
  const before = useRef(at);
  useEffect(() => {
    if (before.current !== at) content.current?.focus();
    before.current = at;
  }, [at]);
  return (
    <>
      <ol className={classes.steps} aria-label="Steps">
        {steps.map(({ key, title }, index) => (
          <li key={key}>
            <UnstyledButton
              className={classes.step}
              data-done={index < at || undefined}
              aria-current={index === at ? "step" : undefined}
              onClick={() => go(index)}
            >
              <span className={classes.number} aria-hidden>
                {index + 1}
              </span>
              {title}
            </UnstyledButton>
          </li>
        ))}
      </ol>
      <div ref={content} tabIndex={-1} className={classes.content}>
        {steps[at]!.content}
      </div>
      <Group justify="space-between" mt="xl">
        <Button variant="default" onClick={() => go(at - 1)} disabled={at === 0}>
          Back
        </Button>
        {at === steps.length - 1 ? (
          last
        ) : (
          <Button onClick={() => (steps[at]!.passes?.() ?? true) && go(at + 1)}>Next</Button>
        )}
      </Group>
    </>
  );
}
