import { Button, type ButtonProps } from "@mantine/core";
import { IconMicrophone, IconMicrophoneOff } from "#parts/icons/tabler.ts";

export function MuteButton({
  isMuted,
  mute,
  ...props
}: { isMuted: boolean; mute: (isMuted: boolean) => void } & ButtonProps) {
  return (
    <Button
      {...props}
      variant="default"
      leftSection={isMuted ? <IconMicrophone size={15} /> : <IconMicrophoneOff size={15} />}
      onClick={() => mute(!isMuted)}
    >
      {isMuted ? "Unmute" : "Mute"}
    </Button>
  );
}
