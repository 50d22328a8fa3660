import { Button, Group, Loader, Modal, Stack, Tabs, Text, TextInput, UnstyledButton } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useAnswer, usePages } from "#api/query.ts";
import { useOrganization } from "#api/session.ts";
import { ErrorState } from "#parts/page/error-state.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import { Time } from "#parts/show/time.tsx";
import { behaviorWord, e164, SCRIPTS, scriptOf } from "./scripts.ts";
import styles from "./simulator.module.css";

type Choose = { shown: readonly string[]; add: (phone: string) => void };

/** New York. */
const AREA_CODE = "212";

/** Another phone: one with a script of its own, one that has had something, or any number. */
export function AddPhone({ isOpen, close, ...choose }: Choose & { isOpen: boolean; close: () => void }) {
  return (
    <Modal opened={isOpen} onClose={close} title="Add a phone" size="lg">
      <Tabs defaultValue="scripted" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="scripted">With a script</Tabs.Tab>
          <Tabs.Tab value="seen">In use</Tabs.Tab>
          <Tabs.Tab value="any">Any number</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="scripted">
          <Scripted {...choose} />
        </Tabs.Panel>
        <Tabs.Panel value="seen">
          <Seen {...choose} />
        </Tabs.Panel>
        <Tabs.Panel value="any">
          <AnyNumber {...choose} />
        </Tabs.Panel>
      </Tabs>
    </Modal>
  );
}

function Scripted({ shown, add }: Choose) {
  const [areaCode, setAreaCode] = useState(AREA_CODE);
  const isWrong = !/^[2-9]\d\d$/.test(areaCode);
  return (
    <Stack gap="md">
      <TextInput
        label="Area code"
        description="Decides the time zone, and with it the calling hours."
        value={areaCode}
        onChange={(event) => setAreaCode(event.currentTarget.value)}
        error={isWrong ? "Three digits, the first of them 2 to 9" : undefined}
        inputMode="numeric"
        w="16rem"
      />
      {SCRIPTS.map(({ group, scripts }) => (
        <section key={group} aria-label={group}>
          <Text size="xs" fw={600} c="dimmed" mb={4}>
            {group}
          </Text>
          {scripts.map(({ digits, title, about }) => {
            const phone = `+1${areaCode}55501${digits}`;
            return (
              <UnstyledButton
                key={digits}
                className={styles.choice}
                disabled={isWrong || shown.includes(phone)}
                onClick={() => add(phone)}
              >
                <Text span size="sm" fw={550}>
                  {title}
                </Text>
                <Text span size="xs" c="dimmed" className={styles.number}>
                  {isWrong ? `555-01${digits}` : formatPhone(phone)}
                </Text>
                <Text span size="xs" c="dimmed" className={styles.about}>
                  {about}
                </Text>
              </UnstyledButton>
            );
          })}
        </section>
      ))}
    </Stack>
  );
}

function Seen({ shown, add }: Choose) {
  const { organization_id } = useOrganization();
  const list = usePages("GET /v1/simulator/handsets", "handsets", { query: { limit: 50 } });
  // Whose phones they are: this organization's contacts by name, the one that wrote last first.
  const threads = useAnswer("GET /v1/sms/threads", { query: { organization_id, limit: 100 } }).data?.threads ?? [];
  const names = new Map(threads.toReversed().map(({ phone_number, contact_name }) => [phone_number, contact_name]));
  const places = [...names.keys()].reverse();
  const placeOf = (phone: string) => (names.has(phone) ? places.indexOf(phone) : places.length);
  const phones = list.rows.toSorted((a, b) => placeOf(a.phone_number) - placeOf(b.phone_number));
  if (list.error && list.rows.length === 0) return <ErrorState error={list.error} retry={() => void list.refetch()} />;
  if (list.isPending) return <Loader size="sm" aria-label="Loading" />;
  if (list.rows.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No simulated phone has had a text or a call yet. Start a campaign, or take a number with a script.
      </Text>
    );
  }
  return (
    <>
      {phones.map(({ phone_number, behavior, last_text_at, last_call_at }) => (
        <UnstyledButton
          key={phone_number}
          className={styles.choice}
          disabled={shown.includes(phone_number)}
          onClick={() => add(phone_number)}
        >
          <Text span size="sm" fw={550}>
            {names.get(phone_number) ?? formatPhone(phone_number)}
          </Text>
          <Text span size="xs" c="dimmed" className={styles.number}>
            {names.get(phone_number) && `${formatPhone(phone_number)}, `}
            {latest(last_text_at, last_call_at)}
          </Text>
          <Text span size="xs" c="dimmed" className={styles.about}>
            {behavior ? behaviorWord(behavior) : (scriptOf(phone_number)?.title ?? "Takes texts and answers calls")}
          </Text>
        </UnstyledButton>
      ))}
      {list.hasNextPage && (
        <Button variant="default" mt="sm" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          More
        </Button>
      )}
    </>
  );
}

function latest(textAt: string | null, callAt: string | null) {
  if (textAt === null && callAt === null) return "Nothing yet";
  const isCall = textAt === null || (callAt !== null && callAt > textAt);
  return (
    <>
      {isCall ? "Call " : "Text "}
      <Time at={isCall ? callAt : textAt} exact />
    </>
  );
}

function AnyNumber({ add }: Choose) {
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const phone = e164(typed);
    if (phone === undefined) setError("Ten digits, or a number in its international form: +12125550123");
    else add(phone);
  };
  return (
    <form onSubmit={submit} noValidate>
      <TextInput
        label="Phone number"
        description="It takes texts, answers calls with a short conversation, and does what you have it do."
        placeholder="(212) 555-0199"
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setError(undefined);
        }}
        error={error}
        inputMode="tel"
        data-autofocus
      />
      <Group justify="flex-end" mt="md">
        <Button type="submit">Add</Button>
      </Group>
    </form>
  );
}
