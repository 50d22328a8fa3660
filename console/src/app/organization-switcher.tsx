import { Group, Menu, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useLocation, useNavigate } from "react-router";
import { chooseOrganization, refreshSession, useOrganization, useSession } from "#api/session.ts";
import { IconCheck, IconSelector } from "#parts/icons/tabler.ts";

/** Whose agents, contacts and campaigns are shown. */
export function OrganizationSwitcher() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const { organizations } = useSession();
  const { organization_id, organization_name } = useOrganization();
  // What is open belongs to the former organization, and so do the filters.
  const choose = (id: string) => {
    if (id === organization_id) return;
    chooseOrganization(id);
    void navigate(`/${pathname.split("/")[1]}`);
  };
  return (
    // Others are made by demo data that is still loading, and over the API.
    <Menu width="target" position="bottom-start" onOpen={() => void refreshSession(client)}>
      <Menu.Target>
        <UnstyledButton className="parley-organization">
          <Group gap="xs" wrap="nowrap" justify="space-between">
            <Text size="sm" fw={550} truncate>
              <VisuallyHidden>Organization: </VisuallyHidden>
              {organization_name}
            </Text>
            <IconSelector size={14} aria-hidden />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: "auto" }}>
        {organizations.map(({ unique_id, organization_name: name }) => (
          <Menu.Item
            key={unique_id}
            onClick={() => choose(unique_id)}
            rightSection={unique_id === organization_id ? <IconCheck size={14} aria-label="chosen" /> : undefined}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
