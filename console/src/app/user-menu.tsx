import { Avatar, Menu, SegmentedControl, Text, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { Link } from "react-router";
import { call } from "#api/client.ts";
import { announceSignOut, leave, useSession } from "#api/session.ts";
import { IconLogout, IconUser, IconUserCog } from "#parts/icons/tabler.ts";

const SCHEMES = [
  { value: "auto", label: "Auto" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

/** Who is signed in, light or dark, and the way out. */
export function UserMenu() {
  const { user, permission } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = async () => {
    await call("DELETE /v1/session").catch(() => {});
    announceSignOut();
    leave("/sign-in");
  };
  return (
    <Menu width={240} position="bottom-end">
      <Menu.Target>
        <UnstyledButton aria-label={`${user.name}: account and appearance`}>
          <Avatar size={30} radius="xl" color="pine">
            <IconUser size={16} stroke={1.8} />
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="bright" truncate>
            {user.name}
          </Text>
          <Text size="xs" truncate>
            {user.email} · {permission}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        <SegmentedControl
          fullWidth
          size="xs"
          mx="xs"
          mb="xs"
          aria-label="Appearance"
          data={[...SCHEMES]}
          value={colorScheme}
          onChange={(value) => setColorScheme(value as "auto" | "light" | "dark")}
        />
        <Menu.Divider />
        <Menu.Item component={Link} to="/system/account" leftSection={<IconUserCog size={15} />}>
          Your account
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={15} />} onClick={signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
