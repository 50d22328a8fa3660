import { Alert, Button, Group, List, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useRef, useState } from "react";
import { call } from "#api/client.ts";
import { messageOf } from "#api/error.ts";
import type { GetKey } from "#api/operations.ts";
import { usePages, useSend } from "#api/query.ts";
import { useOrganization, useSession } from "#api/session.ts";
import { useOwnerId } from "#parts/form/owner.ts";
import { type Action, type Chosen, countOf, type Done, OPPOSITE, outcomeOf, people, WORDS } from "./bulk-words.ts";

const STALE: readonly GetKey[] = [
  "GET /v1/contacts/leads",
  "GET /v1/contacts/leads/:lead_id",
  "GET /v1/contacts/lists",
  "GET /v1/contacts/lists/:list_id/leads",
  "GET /v1/dnc",
  "GET /v1/opt-outs",
  "GET /v1/consents/:phone_number",
  "GET /v1/contactability",
];

const NEW_LIST = "new";

/** Asks what is still needed for an action, does it, says what came of it, and offers to undo what can be undone. */
export function BulkModal({
  action,
  chosen,
  close,
  done,
}: {
  action: Action;
  chosen: Chosen;
  close: () => void;
  done: () => void;
}) {
  const { organization_id } = useOrganization();
  const { user } = useSession();
  const owner = useOwnerId() ?? user.unique_id;
  const count = countOf(chosen);
  const who = people(count);
  const words = WORDS[action];
  const [text, setText] = useState("");
  const [listId, setListId] = useState<string | null>(null);
  const send = useSend("POST /v1/contacts/leads/actions", STALE, { isShown: true });
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  /** Held beside the state, which a second click in the same moment would not see yet. */
  const isRunning = useRef(false);
  /** The list that an attempt has made, and its name: the next attempt takes it again. */
  const made = useRef<{ name: string; list_id: string }>(undefined);
  const typed = `ERASE ${count}`;
  const isOfTag = action === "tag" || action === "untag";
  const isOfList = action === "add_to_list" || action === "remove_from_list";
  const isReady =
    (!isOfTag || text.trim() !== "") &&
    (!isOfList || (listId !== null && (listId !== NEW_LIST || text.trim() !== ""))) &&
    (action !== "erase" || text.trim().toUpperCase() === typed);

  const undo = async (result: Done, what: { tag?: string; list_id?: string }) => {
    const opposite = OPPOSITE[result.action]!;
    const body = { organization_id, action: opposite, lead_ids: result.changed_lead_ids!, ...what };
    try {
      notifications.show({ message: `Undone: ${outcomeOf(await send.mutateAsync({ body }))}` });
    } catch (error) {
      notifications.show({ color: "red", title: "This could not be undone", message: messageOf(error) });
    }
  };
  const say = (result: Done, what: { tag?: string; list_id?: string }) => {
    const canUndo = OPPOSITE[result.action] !== undefined && (result.changed_lead_ids?.length ?? 0) > 0;
    const id = notifications.show({
      autoClose: canUndo ? 20_000 : 8_000,
      message: (
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm">{outcomeOf(result)}</Text>
          {canUndo && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                notifications.hide(id);
                void undo(result, what);
              }}
            >
              Undo
            </Button>
          )}
        </Group>
      ),
    });
  };
  const newList = async (name: string): Promise<string> => {
    if (made.current?.name === name) return made.current.list_id;
    const body = { list_name: name, organization_id, user_id: owner, contacts: [] };
    const { list_id } = await call("POST /v1/contacts/lists", { body });
    made.current = { name, list_id };
    return list_id;
  };
  const submit = async () => {
    if (!isReady || isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setFailure(undefined);
    try {
      const list_id = listId === NEW_LIST ? await newList(text.trim()) : (listId ?? undefined);
      const what = { ...(isOfTag ? { tag: text.trim() } : {}), ...(isOfList && list_id ? { list_id } : {}) };
      const whom = "ids" in chosen ? { lead_ids: [...chosen.ids] } : { filter: chosen.filter, expected_count: count };
      const reason = action === "do_not_call" && text.trim() ? { reason: text.trim() } : {};
      const expected = action === "erase" ? { expected_count: count } : {};
      const result = await send.mutateAsync({
        body: { organization_id, action, ...whom, ...expected, ...what, ...reason },
      });
      close();
      done();
      say(result, what);
    } catch (error) {
      setFailure(messageOf(error));
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  };
  const leave = () => {
    if (!isBusy) close();
  };
  return (
    <Modal opened onClose={leave} title={words.title(who)} closeButtonProps={{ "aria-label": "Close" }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Stack>
          <About action={action} />
          {isOfTag && (
            <TextInput
              label="Tag"
              placeholder="Open house"
              maxLength={50}
              data-autofocus
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )}
          {isOfList && <ListChoice mayMake={action === "add_to_list"} value={listId} onChange={setListId} />}
          {isOfList && listId === NEW_LIST && (
            <TextInput
              label="Name of the new list"
              maxLength={200}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )}
          {action === "do_not_call" && (
            <TextInput
              label="Why"
              placeholder="Asked us to stop"
              maxLength={500}
              data-autofocus
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )}
          {action === "erase" && (
            <TextInput
              label={`Type ${typed} to continue`}
              data-autofocus
              autoComplete="off"
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )}
          {failure && (
            <Alert color="red" role="alert">
              {failure}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" disabled={isBusy} onClick={close}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={isBusy}
              disabled={!isReady}
              {...(action === "erase" || action === "unsubscribe" ? { color: "red" } : {})}
            >
              {words.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** What the action does, and whether it can be taken back. */
function About({ action }: { action: Action }) {
  const { organization_name } = useOrganization();
  if (action === "erase") {
    return (
      <>
        <Text size="sm">This cannot be undone. It deletes for good:</Text>
        <List size="sm">
          <List.Item>their names, numbers and every other field, on every list</List.Item>
          <List.Item>every text, call and recording, and what was extracted from them</List.Item>
          <List.Item>consents with their proof</List.Item>
        </List>
        <Text size="sm">Opt-outs stay, in a form that no longer shows the number. Do-not-call entries stay.</Text>
      </>
    );
  }
  const text = {
    tag: "Contacts that have the tag stay as they are.",
    untag: "Contacts without the tag stay as they are.",
    add_to_list: "Contacts that are on the list stay on it once.",
    remove_from_list: "The contacts themselves stay.",
    do_not_call: `No campaign of ${organization_name} texts or calls these numbers any more. They can be taken off the list again.`,
    may_call: `Only entries of ${organization_name} are taken off. An opt-out of the contact's own stays.`,
    unsubscribe:
      "No text and no call goes to these numbers any more, from any organization, and what waits is withdrawn. Only the contact takes this back, by texting START or by a new consent in writing.",
  }[action];
  return <Text size="sm">{text}</Text>;
}

function ListChoice({
  mayMake,
  value,
  onChange,
}: {
  mayMake: boolean;
  value: string | null;
  onChange: (value: string | null) => void;
}) {
  const { organization_id } = useOrganization();
  const lists = usePages("GET /v1/contacts/lists", "lists", { query: { organization_id } });
  const known = lists.rows.map(({ list_id, list_name }) => ({ value: list_id, label: list_name }));
  return (
    <Select
      label="List"
      searchable
      nothingFoundMessage="No list has that name"
      data={mayMake ? [{ value: NEW_LIST, label: "New list" }, ...known] : known}
      value={value}
      onChange={onChange}
    />
  );
}
