/** The codes that we answer with or act on by name. */
export const STATUS = {
  ok: 0x00,
  invalidCommandLength: 0x02,
  invalidCommandId: 0x03,
  invalidBindStatus: 0x04,
  systemError: 0x08,
  messageQueueFull: 0x14,
  throttled: 0x58,
  temporaryAppError: 0x64,
  invalidTlvStream: 0xc0,
} as const;

/**
 * What a code means for a text: `later` = certainly not taken, the same attempt is sent again after a pause; `number` = this recipient cannot be
 * reached; `sender` = nothing goes out from this sender until somebody has put it in order; `account` = nothing goes out over this account;
 * `ours` = the request was wrong; `refused` = this text, without a reason that says more.
 */
export type StatusClass = "later" | "number" | "sender" | "account" | "ours" | "refused";
type Meaning = { words: string; class: StatusClass };

const TABLE: readonly [code: number, words: string, kind: StatusClass][] = [
  [0x01, "the message's length is invalid", "ours"],
  [0x02, "the command's length is invalid", "ours"],
  [0x03, "the command is unknown", "ours"],
  [0x04, "the session is not bound for this command", "later"],
  [0x05, "the session is bound already", "later"],
  [0x06, "the priority is invalid", "ours"],
  [0x07, "the kind of receipt asked for is invalid", "ours"],
  [0x08, "the gateway has a system error", "refused"],
  [0x0a, "the sender's address is invalid", "sender"],
  [0x0b, "the recipient's address is invalid", "number"],
  [0x0c, "the message's id is invalid", "ours"],
  // Also said while the bind of a process that died is counted still: the password may be right.
  [0x0d, "the bind failed", "later"],
  [0x0e, "the password is wrong", "account"],
  [0x0f, "the system_id is unknown", "account"],
  [0x11, "the message could not be cancelled", "refused"],
  [0x13, "the message could not be replaced", "refused"],
  [0x14, "the gateway's queue is full", "later"],
  [0x15, "the service type is invalid", "ours"],
  [0x33, "the number of recipients is invalid", "ours"],
  [0x34, "the distribution list is invalid", "ours"],
  [0x40, "the recipient's flag is invalid", "ours"],
  [0x42, "the request to replace is invalid", "ours"],
  [0x43, "the esm_class is invalid", "ours"],
  [0x44, "it cannot be sent to a distribution list", "ours"],
  [0x45, "the gateway could not take the message", "refused"],
  [0x48, "the sender's type of number is invalid", "sender"],
  [0x49, "the sender's numbering plan is invalid", "sender"],
  [0x50, "the recipient's type of number is invalid", "ours"],
  [0x51, "the recipient's numbering plan is invalid", "ours"],
  [0x53, "the system type is invalid", "account"],
  [0x54, "the replace flag is invalid", "ours"],
  [0x55, "the number of messages is invalid", "ours"],
  [0x58, "the gateway is throttling", "later"],
  [0x61, "the time of delivery is invalid", "ours"],
  [0x62, "the validity period is invalid", "ours"],
  [0x63, "the predefined message is invalid", "ours"],
  [0x64, "the gateway has a temporary error", "refused"],
  [0x65, "the gateway has a permanent error", "refused"],
  [0x66, "the gateway rejects the message", "refused"],
  [0x67, "the query failed", "refused"],
  [0xc0, "the optional part is invalid", "ours"],
  [0xc1, "an optional parameter is not allowed", "ours"],
  [0xc2, "an optional parameter's length is invalid", "ours"],
  [0xc3, "an optional parameter is missing", "ours"],
  [0xc4, "an optional parameter's value is invalid", "ours"],
  [0xfe, "the delivery failed", "refused"],
  [0xff, "the gateway has an unknown error", "refused"],
  [0x100, "this account may not use the service", "sender"],
  [0x101, "this account may not do this", "sender"],
  [0x102, "the service is not available", "refused"],
  [0x103, "the service is denied", "sender"],
  [0x104, "the data coding is invalid", "ours"],
  [0x105, "the sender's sub-unit is invalid", "ours"],
  [0x106, "the recipient's sub-unit is invalid", "ours"],
];

const MEANINGS = new Map(TABLE.map(([code, words, kind]): [number, Meaning] => [code, { words, class: kind }]));
export const KNOWN_CODES: readonly number[] = TABLE.map(([code]) => code);

/** As it is stored and shown: the specification's way to write one. */
export const codeOf = (status: number): string => `0x${status.toString(16).padStart(8, "0").toUpperCase()}`;

/** A code that is not in the table (each gateway has some of its own, from 0x400 on) is a refusal with that code. */
export const meaningOf = (status: number): Meaning =>
  MEANINGS.get(status) ?? { words: `refused by the carrier with ${codeOf(status)}`, class: "refused" };
