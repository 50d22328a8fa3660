import { Button, type ButtonProps } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";

/** A button that leads to another page, as a link: it opens in a new tab, too. */
export function LinkButton({
  to,
  children,
  ...props
}: ButtonProps & { to: string; onClick?: () => void; children: ReactNode }) {
  return (
    <Button component={Link} to={to} {...props}>
      {children}
    </Button>
  );
}
