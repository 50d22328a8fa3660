import type { TestContext } from "node:test";
import type { CarrierKind } from "#domain/numbers/carrier-kind.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { MediaHost } from "./media-host.ts";

/** What goes wrong with the next text to a phone. */
export type Wrong =
  /** It is taken, and the answer is lost: by a 5xx or its like, or with the connection. */
  | "taken_then_error"
  | "taken_then_reset"
  /** It is not taken, and the answer is as uncertain. */
  | "error"
  /** Too many: once, and then it is taken. */
  | "rate_limited"
  /** The contact has opted out with the carrier. */
  | "opted_out"
  /** A refusal with a code that nobody knows. */
  | "unknown_code"
  /** Its receipts come before the answer does. */
  | "receipt_first";

export type Report = "sent" | "delivered" | "undelivered";

/** One carrier that the promises are kept over: a stand-in, or the simulator. What it cannot do it answers with a reason. */
export type Peer = {
  /** The number that texts leave from. */
  sender: string;
  /** The account to be made; undefined: the simulator of test mode, which needs none. */
  account: { kind: CarrierKind; credentials: Record<string, string>; settings: Record<string, unknown> } | undefined;
  /** Resolves when texts can leave: for one whose session has to be connected. */
  connected?(): Promise<void>;
  /** What phones got from it, in order. */
  taken(): Promise<{ to: string; text: string; media?: readonly string[] }[]>;
  behave(phone: string, wrong: Wrong): Promise<string | undefined>;
  /** Reports the last text to a phone, so many times. */
  report(phone: string, status: Report, times?: number): Promise<void>;
  /** A text from a phone. The same id is the same text. */
  receive(from: string, text: string, id: string): Promise<void>;
  /** The same with pictures, by their names at the media host. Undefined: it brings none. */
  receiveMedia?(from: string, text: string, id: string, names: readonly string[]): Promise<void>;
  /** Sends a webhook that is not signed by the carrier; answers with the status, or a reason. */
  forge(from: string, text: string): Promise<number | string>;
  /** The carrier takes the credentials no more, but these. A reason where it has none. */
  changeCredentials(): Promise<Record<string, string> | string>;
};

/** The engine's side, for a peer that has no edge of its own to come in by. */
export type Engine = {
  ctx: Context;
  tenantId: Uuid;
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  databaseUrl: string;
};

/** A row of the table: another carrier is another row. `mediaHost` is where its pictures are. `now` is the engine's clock, `hosts` is known before the service starts, `open` is called after it. */
export type PeerRow = {
  name: string;
  start(
    t: TestContext,
    now: () => Date,
    mediaHost: MediaHost,
  ): Promise<{ hosts: Record<string, string>; open(engine: Engine): Peer }>;
};
