import { Anchor, Box, Group, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { Link } from "react-router";

/**
 * The head of every page: its title, which is the tab's too, what leads back, one line of what it is about, and what
 * can be done here.
 */
export function PageHeader({
  title,
  about,
  back,
  badge,
  actions,
}: {
  title: string;
  about?: ReactNode;
  /** Of a page below another: where it came from. */
  back?: { to: string; label: string };
  badge?: ReactNode;
  actions?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Parley`;
  }, [title]);
  return (
    <Group component="header" justify="space-between" align="center" mb="lg" gap="md">
      <Box miw={0} flex="1 1 16rem">
        {back && (
          <Anchor component={Link} to={back.to} size="sm" c="dimmed">
            ← {back.label}
          </Anchor>
        )}
        <Group gap="sm" wrap="nowrap">
          <Title order={1} lineClamp={2}>
            {title}
          </Title>
          {badge}
        </Group>
        {about && (
          <Text c="dimmed" size="sm" mt={2}>
            {about}
          </Text>
        )}
      </Box>
      {actions && <Group gap="sm">{actions}</Group>}
    </Group>
  );
}
