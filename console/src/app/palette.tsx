import "@mantine/spotlight/styles.layer.css";
import { useMantineColorScheme } from "@mantine/core";
import { Spotlight, type SpotlightActionGroupData, spotlight } from "@mantine/spotlight";
import {
  IconMessage2,
  IconMoon,
  IconPhoneOutgoing,
  IconPlus,
  IconRobot,
  IconSearch,
  IconSun,
} from "@tabler/icons-react";
import { useEffect } from "react";
import { useNavigate } from "react-router";
import { useAnswer } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { PLACES } from "./navigation.ts";

/** Names to choose from: the newest of each. Whoever has more searches on the page itself. */
const NAMES = 200;

/** Ctrl K: every page, what can be begun, and campaigns and agents by name. `opened` counts the wishes to see it. */
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: each wish opens it again.
  useEffect(() => spotlight.open(), [opened]);

  const to = (path: string) => ({ onClick: () => void navigate(path) });
  const isDark = colorScheme === "dark";
  const groups: SpotlightActionGroupData[] = [
    {
      group: "Pages",
      actions: PLACES.filter((place) => seesAll || !place.tenantWide).map(({ path, label, icon: Icon, keywords }) => ({
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
      actions: (voice.data?.campaigns ?? []).map(({ campaign_id, name, status }) => ({
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
  return (
    <Spotlight
      actions={groups}
      shortcut={null}
      centered={false}
      yOffset="12dvh"
      overlayProps={{ blur: 0 }}
      attributes={{ content: { "aria-label": "Search" } }}
      limit={12}
      nothingFound="Nothing has that name."
      scrollable
      maxHeight="60dvh"
      searchProps={{ leftSection: <IconSearch size={18} />, placeholder: "Search pages, campaigns, agents" }}
    />
  );
}
