import { ActionIcon, Group, Kbd, Modal, Stack, Table, Text, Tooltip } from "@mantine/core";
import { useState } from "react";
import { IconKeyboard } from "#parts/icons/tabler.ts";
import { SHORTCUTS } from "#parts/keyboard/shortcuts.ts";
import { useActiveShortcuts, useShortcuts } from "#parts/keyboard/use-shortcuts.ts";

const PLACES = { everywhere: "Everywhere", list: "In the list of this page", recording: "In the recording" } as const;

/** `?`: the shortcuts that work on the page that is shown, from the list that their handlers use too. */
export function KeyboardHelp() {
  const [isOpen, setOpen] = useState(false);
  const active = useActiveShortcuts();
  useShortcuts({ help: () => setOpen(true) });
  return (
    <>
      <Tooltip label="Keyboard shortcuts ( ? )">
        <ActionIcon
          variant="subtle"
          color="gray"
          size={32}
          visibleFrom="sm"
          aria-label="Keyboard shortcuts"
          onClick={() => setOpen(true)}
        >
          <IconKeyboard size={18} stroke={1.7} />
        </ActionIcon>
      </Tooltip>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Keyboard shortcuts">
        <Stack gap="md">
          {Object.entries(PLACES).map(([place, title]) => {
            const names = active.filter((name) => SHORTCUTS[name].where === place);
            return names.length === 0 ? null : (
              <section key={place} aria-label={title}>
                <Text size="sm" fw={600} mb={4}>
                  {title}
                </Text>
                <Table verticalSpacing={4} aria-label={title}>
                  <Table.Tbody>
                    {names.map((name) => (
                      <Table.Tr key={name}>
                        <Table.Td w="7rem">
                          <Group gap={4} wrap="nowrap">
                            {SHORTCUTS[name].shown.map((key) => (
                              <Kbd key={key}>{key}</Kbd>
                            ))}
                          </Group>
                        </Table.Td>
                        <Table.Td>{SHORTCUTS[name].does}</Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </section>
            );
          })}
        </Stack>
      </Modal>
    </>
  );
}
