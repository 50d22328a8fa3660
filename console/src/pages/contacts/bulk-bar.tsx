import { Button, Checkbox, Group, Menu, Paper, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useEffect, useRef, useState } from "react";
import { messageOf } from "#api/error.ts";
import { useSend } from "#api/query.ts";
import { useOrganization } from "#api/session.ts";
import { IconChevronDown } from "#parts/icons/tabler.ts";
import { BulkModal } from "./bulk-modal.tsx";
import { type Action, type Chosen, countOf, type Filter, people, WORDS } from "./bulk-words.ts";

const MENU: readonly Action[] = ["tag", "untag", "add_to_list", "remove_from_list", "do_not_call", "may_call"];
const FINAL: readonly Action[] = ["unsubscribe", "erase"];

/** Who is chosen in the list, and what is to be done with them. */
export function BulkBar({
  shown,
  hasMore,
  chosen,
  filter,
  choose,
}: {
  /** Ids of the rows that have been loaded. */
  shown: readonly string[];
  hasMore: boolean;
  chosen: Chosen;
  /** What the page's filters say. */
  filter: Filter;
  choose: (chosen: Chosen) => void;
}) {
  const { organization_id } = useOrganization();
  const [action, setAction] = useState<Action>();
  const count = useSend("POST /v1/contacts/leads/actions", [], { isShown: true });
  const some = countOf(chosen);
  const [actions, box] = [useRef<HTMLButtonElement>(null), useRef<HTMLInputElement>(null)];
  const wasOpen = useRef(false);
  // The keyboard goes on where it was before the dialog: the menu's item is gone, and after the deed its button too.
  useEffect(() => {
    if (wasOpen.current && action === undefined) (actions.current ?? box.current)?.focus();
    wasOpen.current = action !== undefined;
  }, [action, actions, box]);
  const isAllShown = !("ids" in chosen) || (shown.length > 0 && chosen.ids.length >= shown.length);
  const chooseAll = async () => {
    try {
      const body = { organization_id, action: "unsubscribe", filter, dry_run: true } as const;
      choose({ filter, count: (await count.mutateAsync({ body })).matched });
    } catch (error) {
      notifications.show({ color: "red", title: "They could not be chosen", message: messageOf(error) });
    }
  };
  return (
    <Paper component="section" aria-label="Chosen contacts" px="md" py="xs">
      <Group gap="md" mih={30}>
        <Checkbox
          ref={box}
          label={some === 0 ? "Choose all shown" : `${people(some)} chosen${"ids" in chosen ? "" : ", all that match"}`}
          disabled={shown.length === 0}
          checked={some > 0 && isAllShown}
          indeterminate={some > 0 && !isAllShown}
          onChange={() => choose({ ids: some > 0 ? [] : shown })}
        />
        {some > 0 && (
          <>
            {hasMore && "ids" in chosen && (
              <Button size="compact-sm" variant="subtle" loading={count.isPending} onClick={() => void chooseAll()}>
                Choose all that match
              </Button>
            )}
            <Menu position="bottom-start" withinPortal>
              <Menu.Target>
                <Button ref={actions} size="compact-sm" rightSection={<IconChevronDown size={14} aria-hidden />}>
                  Actions
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {MENU.map((one) => (
                  <Menu.Item key={one} onClick={() => setAction(one)}>
                    {WORDS[one].menu}
                  </Menu.Item>
                ))}
                <Menu.Divider />
                {FINAL.map((one) => (
                  <Menu.Item key={one} onClick={() => setAction(one)}>
                    {WORDS[one].menu}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
            <Button size="compact-sm" variant="default" onClick={() => choose({ ids: [] })}>
              Clear
            </Button>
          </>
        )}
        {some === 0 && (
          <Text size="xs" c="dimmed" visibleFrom="sm">
            Press x to choose the row you are on
          </Text>
        )}
      </Group>
      {action && (
        <BulkModal
          action={action}
          chosen={chosen}
          close={() => setAction(undefined)}
          done={() => choose({ ids: [] })}
        />
      )}
    </Paper>
  );
}
