import { Alert, Autocomplete, Button, Group, SimpleGrid, Text, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { pathOf } from "#api/client.ts";
import { useAnswer } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { IconPlayerStop, IconVolume } from "#parts/icons/tabler.ts";
import { AmountField } from "./amount-field.tsx";
import type { Editing } from "./builder.tsx";

const MAX_SAMPLE = 300;
const SAMPLE = "Hello, this is how I sound on the phone. Do you have a minute?";

/** Which voice and how fast it speaks, to be heard before it is saved. */
export function VoiceField({ draft, edit, errors }: Pick<Editing, "draft" | "edit" | "errors">) {
  const { data } = useAnswer("GET /v1/voices", {});
  const voices = data?.voices ?? [];
  const chosen = voices.find(({ voice_id }) => voice_id === draft.voice_id);
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Autocomplete
          label="Voice"
          required
          description="One of those built in, or a provider's by its name"
          data={voices.map(({ voice_id }) => voice_id)}
          renderOption={({ option }) => (
            <div>
              {option.value}
              <Text size="xs" c="dimmed">
                {voices.find(({ voice_id }) => voice_id === option.value)?.description}
              </Text>
            </div>
          )}
          value={draft.voice_id}
          onChange={(voice_id) => edit({ voice_id })}
          error={errors.voice_id}
        />
        <AmountField
          label="Speed"
          description={
            chosen
              ? `${chosen.description}. 1 is as the voice is, 2 twice as fast`
              : "1 is as the voice is, 2 twice as fast"
          }
          min={0.5}
          max={2}
          step={0.1}
          value={draft.voice_speed}
          onChange={(voice_speed) => edit({ voice_speed })}
          error={errors.voice_speed}
        />
      </SimpleGrid>
      <Sample voiceId={draft.voice_id} speed={draft.voice_speed === "" ? 1 : draft.voice_speed} />
    </>
  );
}

/** A sentence in the voice, as calls of this service would speak it. */
function Sample({ voiceId, speed }: { voiceId: string; speed: number }) {
  const mayWrite = useCan("write");
  const [text, setText] = useState(SAMPLE);
  const [state, setState] = useState<"idle" | "loading" | "playing" | "failed">("idle");
  const player = useRef<HTMLAudioElement>(undefined);
  const stop = () => {
    player.current?.pause();
    player.current = undefined;
    setState("idle");
  };
  useEffect(() => () => player.current?.pause(), []);
  const play = async () => {
    const path = { params: { voice_id: voiceId }, query: { text, voice_speed: speed } };
    const audio = new Audio(pathOf("GET /v1/voices/:voice_id/sample", path));
    player.current = audio;
    audio.onended = stop;
    setState("loading");
    try {
      await audio.play();
      if (player.current === audio) setState("playing");
    } catch {
      if (player.current === audio) setState("failed");
    }
  };
  return (
    <div>
      <Group align="end" gap="sm">
        <TextInput
          label="Hear it say"
          flex="1 1 14rem"
          maxLength={MAX_SAMPLE}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {state === "playing" ? (
          <Button variant="default" leftSection={<IconPlayerStop size={15} />} onClick={stop}>
            Stop
          </Button>
        ) : (
          <Button
            variant="default"
            leftSection={<IconVolume size={15} />}
            loading={state === "loading"}
            disabled={!mayWrite || voiceId.trim() === "" || text.trim() === ""}
            onClick={play}
          >
            Listen
          </Button>
        )}
      </Group>
      {state === "failed" && (
        <Alert color="red" role="alert" mt="sm" py="xs">
          This voice cannot be heard. Is its name right, and its provider set up?
        </Alert>
      )}
    </div>
  );
}
