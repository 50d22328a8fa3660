import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { messageOf } from "#api/error.ts";
import { changeMode, useCan, useSession } from "#api/session.ts";
import { EmptyState } from "./empty-state.tsx";

/** What leads to real phones: in the simulator, and for who may not look at it, there is nothing of it to show. `title` says so of `of`. */
export function OnlyLive({
  title = "Carriers are for live mode",
  of = "Carriers are",
  children,
}: {
  title?: string;
  of?: string;
  children: ReactNode;
}) {
  const { mode, is_live_available } = useSession();
  const maySee = useCan("read", { tenantWide: true });
  const client = useQueryClient();
  const [state, setState] = useState<{ isBusy: boolean; error?: string }>({ isBusy: false });
  if (!maySee) {
    return <EmptyState title="For admins" text={`${of} the whole tenant's, and shown to admins. Ask one of yours.`} />;
  }
  if (mode === "live") return children;
  const goLive = async () => {
    setState({ isBusy: true });
    try {
      await changeMode(client, "live");
    } catch (error) {
      setState({ isBusy: false, error: messageOf(error) });
    }
  };
  return (
    <EmptyState
      title={title}
      text={
        state.error ??
        (is_live_available
          ? "You are in the simulator, which reaches no real phone and has no carrier. Nothing is sent by going live alone."
          : "You are in the simulator, which reaches no real phone. An admin connects a carrier in live mode.")
      }
      action={
        is_live_available && (
          <Button color="red" loading={state.isBusy} onClick={() => void goLive()}>
            Go live
          </Button>
        )
      }
    />
  );
}
