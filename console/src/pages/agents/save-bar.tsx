import { Alert, Button, Group, Text } from "@mantine/core";
import classes from "./agents.module.css";

/** What can be done with a changed form; always in sight. */
export function SaveBar({
  text,
  save,
  isBusy,
  onSave,
  onDiscard,
  failure,
}: {
  text: string;
  /** What the button says. */
  save: string;
  isBusy: boolean;
  onSave: () => void;
  onDiscard?: () => void;
  failure: string | undefined;
}) {
  return (
    <section className={classes.save} aria-label="Save">
      {failure && (
        <Alert color="red" role="alert" mb="sm" py="xs">
          {failure}
        </Alert>
      )}
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed">
          {text}
        </Text>
        <Group gap="sm">
          {onDiscard && (
            <Button variant="default" onClick={onDiscard} disabled={isBusy}>
              Discard
            </Button>
          )}
          <Button loading={isBusy} onClick={onSave}>
            {save}
          </Button>
        </Group>
      </Group>
    </section>
  );
}
