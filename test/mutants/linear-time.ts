import type { Mutant } from "./mutant.ts";

const LINEAR = "test/regexps-in-tree.test.ts";

/** What strangers write is read in time that grows with its length, not faster. */
export const OF_LINEAR_TIME: readonly Mutant[] = [
  {
    id: "exponential-gesture",
    breaks: "a text of forty signs is read for ever",
    file: "src/domain/compliance/opt-out-doubt.ts",
    from: String.raw`/^[\s🛑🚫✋🖕❌🤚⛔\p{M}\p{Emoji_Modifier}]+$/u`,
    to: String.raw`/^(?:[\s🛑🚫✋🖕❌🤚⛔]|\p{M}|\p{Emoji_Modifier}|\ufe0f)+$/u`,
    suites: [LINEAR],
  },
  {
    id: "quadratic-field",
    breaks: "a contact's field of spaces takes the square of its length to render",
    file: "src/domain/messaging/template.ts",
    from: "text = oneLine(text)",
    to: String.raw`text = text.replace(/\s*\n\s*/g, " ")`,
    suites: [LINEAR],
  },
  {
    id: "quadratic-via",
    breaks: "a datagram's Via takes the square of its length to read",
    file: "src/adapters/sip-messages/parse-message.ts",
    from: String.raw`(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(?:\s*:\s*(\d{1,5}))?$/`,
    to: String.raw`(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)\s*(?::\s*(\d{1,5}))?\s*(;.*)?$/s`,
    suites: [LINEAR],
  },
  {
    id: "framer-copies-all",
    breaks: "a byte at a time over a connection takes the square of the message to take in",
    file: "src/adapters/sip-messages/framer.ts",
    from: "Buffer.allocUnsafeSlow(bytes * 2)",
    to: "Buffer.allocUnsafeSlow(bytes)",
    suites: ["test/pumped-sip.test.ts"],
  },
];
