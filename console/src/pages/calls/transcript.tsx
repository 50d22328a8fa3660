import { Button, Paper, Stack, Text, Title } from "@mantine/core";
import { type MouseEvent, useEffect, useMemo, useRef } from "react";
import type { Answer } from "#api/operations.ts";
import classes from "./calls.module.css";
import { clock, type Player } from "./player.ts";

export type Utterance = Answer<"GET /v1/voice/calls/:call_id">["call"]["transcript_object"][number];

/** Who has scrolled by hand is left where they are for so long. */
const LEFT_ALONE_MS = 5_000;

/**
 * What both sides said. While the recording plays, the word that is heard is marked and stays in sight; a click on a word
 * goes there. By keyboard, the time before each turn does.
 */
export function Transcript({ utterances, player }: { utterances: readonly Utterance[]; player: Player | undefined }) {
  const box = useRef<HTMLDivElement>(null);
  const words = useMemo(() => utterances.flatMap((utterance) => utterance.words), [utterances]);
  useEffect(() => {
    if (box.current && player) return followWords(box.current, words, player);
  }, [words, player]);
  const onClick = (event: MouseEvent) => {
    const start = (event.target as HTMLElement).dataset.start;
    if (start !== undefined && String(getSelection()) === "") player?.seek(Number(start), true);
  };
  return (
    <Paper component="section" aria-label="Transcript">
      <Title order={2} p="md" pb={0}>
        Transcript
      </Title>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: by keyboard, the button before each turn does the same. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the same. */}
      <div
        ref={box}
        className={classes.transcript}
        data-playable={player !== undefined || undefined}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus a keyboard could not scroll it.
        tabIndex={0}
        onClick={onClick}
      >
        <Stack gap="md">
          {utterances.map((utterance, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what was said does not change its place.
            <Turn key={index} utterance={utterance} player={player} />
          ))}
        </Stack>
      </div>
    </Paper>
  );
}

function Turn({
  utterance: { role, content, words, interrupted },
  player,
}: {
  utterance: Utterance;
  player: Player | undefined;
}) {
  const start = words[0]?.start;
  const name = role === "agent" ? "Agent" : "Contact";
  return (
    <div className={classes.turn} data-role={role}>
      <Text size="xs" fw={600} component="div">
        {name}
        {start !== undefined && player ? (
          <Button
            variant="subtle"
            color="gray"
            size="compact-xs"
            ml={4}
            aria-label={`Play from ${clock(start)}`}
            onClick={() => player.seek(start, true)}
          >
            {clock(start)}
          </Button>
        ) : (
          start !== undefined && (
            <Text span size="xs" c="dimmed" ml="xs">
              {clock(start)}
            </Text>
          )
        )}
      </Text>
      <Text size="sm" component="p" m={0}>
        {words.length > 0
          ? words.map((word, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same.
              <span key={index}>
                <span data-start={word.start}>{word.word}</span>{" "}
              </span>
            ))
          : content}
        {interrupted && (
          <Text span size="xs" c="dimmed">
            (was interrupted)
          </Text>
        )}
      </Text>
    </div>
  );
}

/** Marks the word that is heard. Some thousand words are marked a hundred times a minute: not by drawing them all anew. */
function followWords(box: HTMLElement, words: readonly { start: number; end: number }[], player: Player): () => void {
  const elements = [...box.querySelectorAll<HTMLElement>("[data-start]")];
  let now: HTMLElement | undefined;
  let scrolledAt = 0;
  const onScroll = () => {
    scrolledAt = Date.now();
  };
  const move = (seconds: number) => {
    const at = wordAt(words, seconds);
    const next = at === undefined ? undefined : elements[at];
    if (next === now) return;
    now?.removeAttribute("data-now");
    next?.setAttribute("data-now", "true");
    now = next;
    if (next && !player.media.paused && Date.now() - scrolledAt > LEFT_ALONE_MS) showIn(box, next);
  };
  // Not `scroll`: our own scrolling is one too.
  for (const name of ["wheel", "touchmove", "keydown"]) box.addEventListener(name, onScroll, { passive: true });
  move(player.media.currentTime);
  const end = player.onMove(move);
  return () => {
    end();
    now?.removeAttribute("data-now");
    for (const name of ["wheel", "touchmove", "keydown"]) box.removeEventListener(name, onScroll);
  };
}

/** The last word that has begun, until its end and the pause after it; both sides may speak at once, and the later one is marked. */
function wordAt(words: readonly { start: number; end: number }[], seconds: number): number | undefined {
  let found: number | undefined;
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word.start <= seconds && (found === undefined || word.start >= words[found]!.start)) found = i;
  }
  return found === undefined || seconds > words[found]!.end + PAUSE_S ? undefined : found;
}

/** A word stays marked through the breath after it. */
const PAUSE_S = 0.4;

/** Within the box alone: the page does not move. */
function showIn(box: HTMLElement, element: HTMLElement): void {
  const [outer, inner] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.top >= outer.top && inner.bottom <= outer.bottom - inner.height) return;
  box.scrollTop += inner.top - outer.top - outer.height / 3;
}
