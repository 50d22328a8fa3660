import { Button } from "@mantine/core";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { whole } from "#parts/show/figures.tsx";

/** Says how many people it reaches, and asks once. `count` is undefined until a check has passed. */
export function Launch({
  verb,
  count,
  isBusy,
  start,
}: {
  verb: "Text" | "Call";
  count: number | undefined;
  isBusy: boolean;
  start: () => Promise<unknown>;
}) {
  if (count === undefined) return <Button disabled>Launch</Button>;
  const deed = `${verb} ${whole(count)} ${count === 1 ? "person" : "people"}`;
  return (
    <ConfirmButton
      variant="filled"
      color="pine"
      loading={isBusy}
      disabled={count === 0}
      title={`${deed}?`}
      text="It begins at once, or at the time that you have set. It can be paused at any time."
      confirm="Launch"
      onConfirm={start}
    >
      {deed}
    </ConfirmButton>
  );
}
