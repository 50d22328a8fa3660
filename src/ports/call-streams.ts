import type { Attestation } from "#domain/calls/attestation.ts";
import type { Uuid } from "#domain/values/id.ts";

// Calls whose sound a carrier brings by a WebSocket: it comes to any node that serves HTTP, and the call is held by another.

/** A carrier's connection with one call's sound, in the carrier's own messages: texts, in order. */
export type StreamSocket = {
  /** Once. What came before it is kept, as far as it is little. */
  listen(on: { text(message: string): void; closed(): void }): void;
  /** What the other end does not keep up with is lost. */
  send(message: string): void;
  /** Harmless to repeat. */
  close(): void;
};

/** What a carrier reports of a call that was placed with our reference. */
export type CallNews = {
  ref: Uuid;
  /** The carrier's id of the call. */
  carrierId: string;
  /** The carrier's own word. */
  status: string;
  /** SIP's status of the end, where the carrier says it. */
  code?: number;
  /** Rises with each report of a call; they come in any order. */
  sequence?: number;
};

/** A call to a number of an account. */
export type BroughtCall = {
  carrierId: string;
  from: string;
  to: string;
  attestation?: Attestation;
};

/** A ticket is what the carrier's stream has to show; without one the call is turned away, by the SIP status that says why. */
export type BroughtAnswer = { ticket: string } | { refused: "404" | "480" | "603" };

/** To the nodes that hold calls, from those that carriers reach. `address` is where a node listens for others. */
export interface CallNodes {
  /** The node and the call whose ticket this is take the stream: once, and while they wait for it. Undefined: nobody's. */
  join(carrier: string, ticket: string): Promise<StreamSocket | undefined>;
  /** False: it holds no such call, or is not there. */
  report(address: string, of: { carrier: string }, news: CallNews): Promise<boolean>;
  /** Undefined: it is not there, or another node has taken the call already. */
  bring(
    address: string,
    of: { tenantId: Uuid; carrier: string },
    call: BroughtCall,
  ): Promise<BroughtAnswer | undefined>;
}

/** What a node that holds calls does with what others pass on to it. */
export type CallNodeHandlers = {
  report(of: { carrier: string }, news: CallNews): boolean;
  bring(of: { tenantId: Uuid; carrier: string }, call: BroughtCall): Promise<BroughtAnswer | undefined>;
};

/** A node's side. */
export interface StreamBridge {
  /** `host:port`, as other nodes reach it. */
  readonly address: string;
  /** Waits for a call's stream until it is withdrawn. The first who shows the ticket has it; `taken` never rejects. */
  expect(carrier: string, callId: Uuid): { ticket: string; taken: Promise<StreamSocket>; withdraw(): void };
  serve(handlers: CallNodeHandlers): void;
}
