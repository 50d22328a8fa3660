import { Button } from "@mantine/core";
import { useNavigate } from "react-router";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { IconPlayerPause, IconPlayerPlay } from "#parts/icons/tabler.ts";

/** An operation that is asked for by a button. */
type Order = { isPending: boolean; run: () => void };

/** Pauses a campaign that goes on, and resumes one that is paused. */
export function PauseOrResume({
  isOpen,
  isPaused,
  pause,
  resume,
}: {
  isOpen: boolean;
  isPaused: boolean;
  pause: Order;
  resume: Order;
}) {
  return (
    <>
      {isOpen && (
        <Button
          variant="default"
          leftSection={<IconPlayerPause size={16} />}
          loading={pause.isPending}
          onClick={pause.run}
        >
          Pause
        </Button>
      )}
      {isPaused && (
        <Button leftSection={<IconPlayerPlay size={16} />} loading={resume.isPending} onClick={resume.run}>
          Resume
        </Button>
      )}
    </>
  );
}

/**
 * Deletes a campaign when that is confirmed, and goes to the others of its kind.
 *
 * @param text what becomes of what it has done
 */
export function DeleteCampaign({ text, remove, back }: { text: string; remove: () => Promise<unknown>; back: string }) {
  const navigate = useNavigate();
  return (
    <ConfirmButton
      size="xs"
      c="red"
      variant="subtle"
      title="Delete this campaign?"
      text={`${text} This cannot be taken back.`}
      confirm="Delete"
      onConfirm={async () => {
        await remove();
        await navigate(back);
      }}
      style={{ alignSelf: "flex-start" }}
    >
      Delete this campaign
    </ConfirmButton>
  );
}
