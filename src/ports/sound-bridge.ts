/**
 * One end of a line of sound between two processes: G.711 mu-law at 8 kHz, whole frames of 160 bytes (20 ms), in order. What the other end
 * does not keep up with is lost.
 */
export type SoundLine = {
  /** Once. What came before it is lost, but for the news that the line was closed. */
  listen(on: { sound(frames: Uint8Array): void; closed(): void }): void;
  send(frames: Uint8Array): void;
  /** Harmless to repeat. */
  close(): void;
};

/** A node that holds calls, to others: where somebody's microphone is, there the call need not be. */
export type SoundBridge = {
  /** `host:port`, as other nodes reach it. */
  readonly address: string;
  /** Offers this call, by the carrier's id, until it is withdrawn. The first who comes for it has it; `taken` never rejects. */
  offer(carrierId: string): { taken: Promise<SoundLine>; withdraw(): void };
  close(): Promise<void>;
};

/** Goes to a node for a call that it offers. Rejects where there is none any more, or no such node. */
export type JoinSound = (address: string, carrierId: string) => Promise<SoundLine>;
