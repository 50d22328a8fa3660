import { ActionIcon, Button, CopyButton as Copies, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "#parts/icons/tabler.ts";

/** Puts a text on the clipboard and says so: an icon beside the text, or a button with a label of its own. */
export function CopyButton({ text, label, name }: { text: string; label?: string; name?: string }) {
  return (
    <Copies value={text}>
      {({ copied, copy }) => {
        const icon = copied ? <IconCheck size={14} /> : <IconCopy size={14} />;
        if (label !== undefined) {
          return (
            <Button variant="default" leftSection={icon} onClick={copy}>
              {copied ? "Copied" : label}
            </Button>
          );
        }
        return (
          <Tooltip label={copied ? "Copied" : "Copy"}>
            <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={`Copy ${name ?? "this"}`}>
              {icon}
            </ActionIcon>
          </Tooltip>
        );
      }}
    </Copies>
  );
}
