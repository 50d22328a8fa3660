import { Tabs } from "@mantine/core";
import { useLocation, useNavigate } from "react-router";

/** The pages of one place, as tabs below its head: each has an address of its own. */
export function PageTabs({ label, tabs }: { label: string; tabs: readonly { to: string; label: string }[] }) {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  return (
    <Tabs value={pathname} onChange={(to) => to && void navigate(to)} mb="lg">
      <Tabs.List aria-label={label} style={{ flexWrap: "nowrap", overflowX: "auto", overflowY: "hidden" }}>
        {tabs.map(({ to, label: name }) => (
          <Tabs.Tab key={to} value={to}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  );
}
