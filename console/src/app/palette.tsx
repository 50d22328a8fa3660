import "@mantine/spotlight/styles.layer.css";
import { useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight, type SpotlightActionGroupData, spotlight } from "@mantine/spotlight";
import { useEffect, useState } from "react";
import { useNavigate } from "react-router";
import { useAnswer } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { contactName } from "#parts/form/contact-fields.ts";
import {
  IconMessage2,
  IconMessages,
  IconMoon,
  IconPhone,
  IconPhoneOutgoing,
  IconPlus,
  IconRobot,
  IconSearch,
  IconSun,
  IconUser,
} from "#parts/icons/tabler.ts";
import { formatPhone } from "#parts/show/phone-number.tsx";
import { excerptOf } from "#parts/show/words.ts";
import { INNER_PLACES, PLACES } from "./navigation.ts";

/** Names to choose from: the newest of each. Whoever has more searches on the page itself. */
const NAMES = 200;
/** Contacts, conversations and calls that are found, of each. */
const FOUND = 5;
const PAUSE_MS = 200;
/** What has so many digits and no letter is a phone number, whose calls are found. */
const PHONE_DIGITS = 10;

/** Ctrl K: every page, what can be begun, campaigns and agents by name, and contacts, conversations and calls by name or number. `opened` counts the wishes to see it. */
export default function Palette({ opened }: { opened: number }) {
  const navigate = useNavigate();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { organization_id } = useOrganization();
  const maySend = useCan("send");
  const seesAll = useCan("read", { tenantWide: true });
  const query = { organization_id, limit: NAMES };
  const agents = useAnswer("GET /v1/agents", { query });
  const sms = useAnswer("GET /v1/campaigns", { query });
  const voice = useAnswer("GET /v1/voice/campaigns", { query });
  const [typed, setTyped] = useState("");
  const [wanted] = useDebouncedValue(typed.trim(), PAUSE_MS);
  const found = useFound(wanted);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each wish opens it again.
  useEffect(() => spotlight.open(), [opened]);

  const to = (path: string) => ({ onClick: () => void navigate(path) });
  const isDark = colorScheme === "dark";
  const groups: SpotlightActionGroupData[] = [
    {
      group: "Pages",
      actions: [...PLACES, ...INNER_PLACES]
        .filter((place) => seesAll || !place.tenantWide)
        .map(({ path, label, icon: Icon, keywords }) => ({
          id: path,
          label,
          keywords,
          leftSection: <Icon size={18} stroke={1.6} />,
          ...to(path),
        })),
    },
    {
      group: "Actions",
      actions: [
        ...(maySend
          ? [
              {
                id: "new-sms",
                label: "New SMS campaign",
                leftSection: <IconPlus size={18} />,
                ...to("/sms-campaigns/new"),
              },
              {
                id: "new-voice",
                label: "New voice campaign",
                leftSection: <IconPlus size={18} />,
                ...to("/voice-campaigns/new"),
              },
              { id: "new-agent", label: "New agent", leftSection: <IconPlus size={18} />, ...to("/agents/new") },
              { id: "import", label: "Import contacts", leftSection: <IconPlus size={18} />, ...to("/lists/import") },
            ]
          : []),
        {
          id: "scheme",
          label: isDark ? "Light appearance" : "Dark appearance",
          leftSection: isDark ? <IconSun size={18} /> : <IconMoon size={18} />,
          onClick: () => setColorScheme(isDark ? "light" : "dark"),
        },
      ],
    },
    {
      group: "SMS campaigns",
      actions: (sms.data?.campaigns ?? []).map(({ campaign_id, campaign_name, status }) => ({
        id: `sms-${campaign_id}`,
        label: campaign_name ?? campaign_id,
        description: status,
        leftSection: <IconMessage2 size={18} />,
        ...to(`/sms-campaigns/${encodeURIComponent(campaign_id)}`),
      })),
    },
    {
      group: "Voice campaigns",
      actions: (voice.data?.campaigns ?? []).map(({ campaign_id, campaign_name: name, status }) => ({
        id: `voice-${campaign_id}`,
        label: name ?? campaign_id,
        description: status,
        leftSection: <IconPhoneOutgoing size={18} />,
        ...to(`/voice-campaigns/${encodeURIComponent(campaign_id)}`),
      })),
    },
    {
      group: "Agents",
      actions: (agents.data?.agents ?? []).map(({ agent_id, agent_name, agent_type }) => ({
        id: agent_id,
        label: agent_name,
        description: agent_type,
        leftSection: <IconRobot size={18} />,
        ...to(`/agents/${encodeURIComponent(agent_id)}`),
      })),
    },
  ];
  const keywords = [typed, typed.trim()];
  groups.push(
    {
      group: "Contacts",
      actions: found.contacts.map((contact) => ({
        id: `contact-${contact.unique_id}`,
        label: contactName(contact) ?? formatPhone(contact.phone_number),
        description: formatPhone(contact.phone_number),
        keywords,
        leftSection: <IconUser size={18} />,
        ...to(`/contacts?contact=${encodeURIComponent(contact.unique_id)}`),
      })),
    },
    {
      group: "Conversations",
      actions: [
        ...found.threads.map(({ thread_id, contact_name, phone_number, campaign_name, matching_text }) => ({
          id: `thread-${thread_id}`,
          label: contact_name ?? formatPhone(phone_number),
          description:
            matching_text === null
              ? (campaign_name ?? formatPhone(phone_number))
              : `“${excerptOf(matching_text, typed.trim())}”`,
          keywords,
          leftSection: <IconMessages size={18} />,
          // Opens at the text that has the words, beside the others that have them.
          ...to(
            `/conversations/${encodeURIComponent(thread_id)}${matching_text === null ? "" : `?search=${encodeURIComponent(typed.trim())}`}`,
          ),
        })),
        ...(found.hasMoreThreads
          ? [
              {
                id: "more-conversations",
                label: `More conversations with “${typed.trim()}”`,
                keywords,
                leftSection: <IconSearch size={18} />,
                ...to(`/conversations?search=${encodeURIComponent(typed.trim())}`),
              },
            ]
          : []),
      ],
    },
    {
      group: "Calls",
      actions: found.calls.map(({ call_id, contact_name, direction, from_number, to_number, start_timestamp }) => ({
        id: `call-${call_id}`,
        label: `${direction === "inbound" ? "Call from" : "Call to"} ${contact_name ?? formatPhone(direction === "inbound" ? from_number : to_number)}`,
        ...(start_timestamp === null ? {} : { description: new Date(start_timestamp).toLocaleString("en") }),
        keywords,
        leftSection: <IconPhone size={18} />,
        ...to(`/calls/${encodeURIComponent(call_id)}`),
      })),
    },
  );
  return (
    <Spotlight
      actions={groups}
      query={typed}
      onQueryChange={setTyped}
      shortcut={null}
      centered={false}
      yOffset="12dvh"
      overlayProps={{ blur: 0 }}
      attributes={{ content: { "aria-label": "Search" } }}
      limit={24}
      nothingFound="Nothing has that name."
      scrollable
      maxHeight="60dvh"
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: "Search pages, campaigns, agents, contacts, conversations, calls",
      }}
    />
  );
}

/** Whom the service finds by what was typed, from two letters on. A contact's calls are found by its number, or by the one contact that has the name. */
function useFound(wanted: string) {
  const { organization_id } = useOrganization();
  const isSearch = wanted.length >= 2;
  const digits = wanted.replace(/\D/g, "");
  const isPhone = digits.length >= PHONE_DIGITS && !/[a-z]/i.test(wanted);
  const query = { organization_id, limit: FOUND };
  const contacts = useAnswer("GET /v1/contacts/leads", isSearch ? { query: { ...query, search: wanted } } : undefined);
  const threads = useAnswer(
    "GET /v1/sms/threads",
    isSearch ? { query: { ...query, ...(isPhone ? { phone_number: wanted } : { search: wanted }) } } : undefined,
  );
  const [only, ...others] = contacts.data?.leads ?? [];
  const phone = isPhone ? wanted : others.length === 0 ? only?.phone_number : undefined;
  const calls = useAnswer(
    "GET /v1/voice/calls",
    isSearch && phone !== undefined ? { query: { ...query, phone_number: phone } } : undefined,
  );
  return {
    contacts: contacts.data?.leads ?? [],
    threads: threads.data?.threads ?? [],
    hasMoreThreads: !isPhone && threads.data?.has_more === true,
    calls: calls.data?.calls ?? [],
  };
}
