import { useEffect, useState, useSyncExternalStore } from "react";

/** The sound of a recording, and where in it one is. Seconds since the answer, as the words of the transcript have them. */
export type Player = {
  media: HTMLAudioElement;
  lengthS: number;
  toggle: () => void;
  /** Goes to a moment and, on request, plays from there. */
  seek: (seconds: number, andPlay?: boolean) => void;
  skip: (seconds: number) => void;
  /** Calls back at every move, each frame while it plays. Returns what ends that. */
  onMove: (listeners: (seconds: number) => void) => () => void;
  /** The same for play, pause, end and failure. */
  onState: (listeners: () => void) => () => void;
};

const STATES = ["play", "pause", "ended", "error", "ratechange", "canplay"] as const;

/** A player of the recording at this address; undefined where there is none. The sound itself comes as it is played. */
export function usePlayer(address: string | undefined, lengthS: number): Player | undefined {
  const [media] = useState(() => new Audio());
  const [player, setPlayer] = useState<Player>();
  useEffect(() => {
    if (address === undefined) return setPlayer(undefined);
    media.preload = "metadata";
    media.src = address;
    const made = playerOf(media, lengthS);
    setPlayer(made.player);
    return () => {
      made.end();
      media.pause();
      media.removeAttribute("src");
      media.load();
    };
  }, [media, address, lengthS]);
  return player;
}

function playerOf(media: HTMLAudioElement, lengthS: number): { player: Player; end: () => void } {
  const moves = new Set<(seconds: number) => void>();
  let frame = 0;
  const moved = () => {
    for (const listeners of moves) listeners(media.currentTime);
  };
  const follow = () => {
    moved();
    frame = media.paused ? 0 : requestAnimationFrame(follow);
  };
  const onPlay = () => {
    cancelAnimationFrame(frame);
    follow();
  };
  const listeners = { play: onPlay, pause: moved, seeking: moved, timeupdate: moved };
  for (const [name, handle] of Object.entries(listeners)) media.addEventListener(name, handle);
  // A browser may refuse to play, or the page may pause again before it has begun.
  const play = () => void media.play().catch(() => {});
  const player: Player = {
    media,
    lengthS,
    toggle: () => (media.paused ? play() : media.pause()),
    seek(seconds, andPlay = false) {
      media.currentTime = Math.max(0, Math.min(lengthS, seconds));
      if (andPlay) play();
    },
    skip: (seconds) => player.seek(media.currentTime + seconds),
    onMove(handle) {
      moves.add(handle);
      return () => moves.delete(handle);
    },
    onState(handle) {
      for (const name of STATES) media.addEventListener(name, handle);
      return () => {
        for (const name of STATES) media.removeEventListener(name, handle);
      };
    },
  };
  const end = () => {
    cancelAnimationFrame(frame);
    for (const [name, handle] of Object.entries(listeners)) media.removeEventListener(name, handle);
  };
  return { player, end };
}

/** Whether it plays, at what speed, and whether it cannot. */
export function usePlaying({ media, onState }: Player): { isPlaying: boolean; rate: number; hasFailed: boolean } {
  const isPlaying = useSyncExternalStore(onState, () => !media.paused && !media.ended);
  const rate = useSyncExternalStore(onState, () => media.playbackRate);
  const hasFailed = useSyncExternalStore(onState, () => media.error !== null);
  return { isPlaying, rate, hasFailed };
}

/** Where it is, in whole seconds: what is written beside it changes no more often. */
export function useSecond({ media, onMove }: Player): number {
  return useSyncExternalStore(onMove, () => Math.floor(media.currentTime));
}

/** 75 as "1:15". */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
