/**
 * One party's sound on its way in and out, whatever carries it: RTP, a carrier's WebSocket, a simulated handset. G.711 mu-law, 8 kHz,
 * frames of 20 ms and 160 bytes (RFC 3551). A leg orders nothing, conceals nothing and paces nothing: that is the session's.
 */
export interface MediaLeg {
  /** The contact's sound comes at this rate too, as `wide` of each packet. Absent where the codec at the call's beginning has the telephone's band alone. */
  readonly wideRate?: 16_000 | undefined;
  /** Called once, before anything else. */
  listen(events: LegEvents): void;
  /** Sends one frame of 160 bytes, now. The frame is the caller's again when this returns. */
  send(frame: Uint8Array): void;
  /** What was sent and has not been played at the far end is dropped there, where the carrier buffers it. */
  clear(): void;
  /** Keys to press, of 0-9 * # A-D (RFC 4733 over RTP). */
  dtmf(digits: string): void;
  /** Frees the leg's resources. Nothing is sent or received after it. */
  close(): void;
}

export interface LegEvents {
  /**
   * `sequence` and `timestamp` as in RTP: 16 and 32 bits that wrap, the timestamp in samples. `wide` is the same sound at 16 kHz, two samples for each of
   * the payload's, where the codec has it. Both are valid during the call only.
   */
  packet(sequence: number, timestamp: number, payload: Uint8Array, wide?: Int16Array): void;
  dtmf(digit: string): void;
  /** The far end's sound has ended for good; the signalling may know it later. */
  ended(): void;
}
