import { AppShell, Box, Burger, Group, NavLink, ScrollArea, Text } from "@mantine/core";
import { useDisclosure, useMediaQuery } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link, Outlet, useLocation, useNavigation } from "react-router";
import { startLive } from "#api/live.ts";
import { useCan, useOrganization, useSession } from "#api/session.ts";
import { KeyboardHelp } from "./keyboard-help.tsx";
import { LiveBadge } from "./live-badge.tsx";
import { ModeBadge } from "./mode-badge.tsx";
import { type Place, SECTIONS } from "./navigation.ts";
import { OrganizationSwitcher } from "./organization-switcher.tsx";
import { PaletteButton } from "./palette-button.tsx";
import { SimulatedTime } from "./simulated-time.ts";
import { StoppedBanner, StopSending } from "./stop-sending.tsx";
import { UserMenu } from "./user-menu.tsx";

const MAIN_ID = "main";

/** Below Mantine's `sm` the navigation lies over the page. */
const SMALL = "(max-width: 47.99em)";

/** What is around every page: the navigation, the head, and the one stream of live events. */
export function Component() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const isSmall = useMediaQuery(SMALL) ?? false;
  const { pathname } = useLocation();
  const { session_id } = useSession();
  const { organization_id } = useOrganization();
  const seesAll = useCan("read", { tenantWide: true });
  const client = useQueryClient();

  useEffect(() => startLive(client, session_id), [client, session_id]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the navigation of a small screen.
  useEffect(close, [pathname]);

  return (
    <AppShell
      layout="alt"
      header={{ height: 48 }}
      navbar={{ width: 224, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding={0}
      transitionDuration={0}
    >
      <SimulatedTime />
      <a href={`#${MAIN_ID}`} className="parley-skip">
        Skip to the page
      </a>
      <AppShell.Header className="parley-header">
        <Group h="100%" px="md" gap="sm" wrap="nowrap" justify="space-between">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <PaletteButton />
          </Group>
          <Group gap="sm" wrap="nowrap">
            <StopSending />
            <KeyboardHelp />
            <LiveBadge />
            <ModeBadge />
            <UserMenu />
          </Group>
        </Group>
        <Progress />
      </AppShell.Header>
      {/* Out of sight it is out of reach of the keyboard, too. */}
      <AppShell.Navbar className="parley-nav" aria-label="Main" component="nav" inert={isSmall && !isOpen}>
        <Group h={48} px="md" gap="sm" justify="space-between" wrap="nowrap">
          <Group component="span" gap="sm" wrap="nowrap">
            <img src={`${import.meta.env.BASE_URL}mark.svg`} alt="" width={24} height={24} />
            <Text span fw={700} size="lg" lts="-0.01em">
              Parley
            </Text>
          </Group>
          <Burger opened onClick={close} hiddenFrom="sm" size="sm" aria-label="Close the navigation" />
        </Group>
        <Box px="sm" pb="xs">
          <OrganizationSwitcher />
        </Box>
        <ScrollArea flex={1} px="sm" pb="lg" type="auto">
          {SECTIONS.map(({ label, places }) => (
            <Box key={label ?? "first"} component="section" aria-label={label} mt={label ? "md" : 0}>
              {label && <Text className="parley-nav-label">{label}</Text>}
              {places
                .filter((place) => seesAll || !place.tenantWide)
                .map((place) => (
                  <PlaceLink key={place.path} place={place} pathname={pathname} />
                ))}
            </Box>
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      {/* Another organization's page begins anew. */}
      <AppShell.Main id={MAIN_ID} tabIndex={-1} key={organization_id} className="parley-main">
        <StoppedBanner />
        <div className="parley-page">
          <Outlet />
        </div>
      </AppShell.Main>
    </AppShell>
  );
}

function PlaceLink({ place, pathname }: { place: Place; pathname: string }) {
  const isHere = place.path === "/" ? pathname === "/" : `${pathname}/`.startsWith(`${place.path}/`);
  return (
    <NavLink
      component={Link}
      to={place.path}
      label={place.label}
      leftSection={<place.icon size={16} stroke={1.7} />}
      active={isHere}
      aria-current={isHere ? "page" : undefined}
      className="parley-nav-link"
    />
  );
}

/** A thin line while the next page is being loaded. */
function Progress() {
  return useNavigation().state === "idle" ? null : (
    <div className="parley-progress" role="progressbar" aria-label="Loading" />
  );
}
