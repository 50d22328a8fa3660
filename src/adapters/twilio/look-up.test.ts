import assert from "node:assert/strict";
import { test } from "node:test";
import { textDigest } from "#domain/messaging/text-digest.ts";
import type { DoubtedText } from "#ports/sms-carrier.ts";
import { compared } from "./look-up.ts";

const at = (ms: number) => new Date(1_000_000 + ms);
const attempt = (ref: string, text: string | null, ms = 0, otherIds: string[] = []): DoubtedText => ({
  ref,
  sender: "+12125550100",
  to: "+12124440001",
  text,
  at: at(ms),
  otherIds,
});
const listed = (sid: string, body: string, ms = 0, media = 0) => ({ sid, body, media, createdAt: at(ms).getTime() });
const unsure = { unsure: true } as const;
const of = (attempts: DoubtedText[], them: ReturnType<typeof listed>[]) => Object.fromEntries(compared(attempts, them));

test("one attempt and one text with its words: taken; no text at all: never taken", () => {
  assert.deepEqual(of([attempt("a", "Hi")], [listed("SM1", "Hi")]), { a: { carrierId: "SM1" } });
  assert.deepEqual(of([attempt("a", "Hi")], []), {});
  assert.deepEqual(of([attempt("a", "Hi")], [listed("SM1", "Sent from your Twilio trial account - Hi")]), {
    a: { carrierId: "SM1" },
  });
});

test("two attempts with the same words: both of two texts, none of none, and of one it cannot be said whose it is", () => {
  const both = [attempt("b", "Hi", 10), attempt("a", "Hi")];
  assert.deepEqual(of(both, [listed("SM2", "Hi", 11), listed("SM1", "Hi", 1)]), {
    a: { carrierId: "SM1" },
    b: { carrierId: "SM2" },
  });
  assert.deepEqual(of(both, []), {});
  assert.deepEqual(of(both, [listed("SM1", "Hi")]), { a: unsure, b: unsure });
});

test("a text that is known to be another attempt's is nobody else's; one more than there are attempts leaves it open", () => {
  assert.deepEqual(of([attempt("a", "Hi", 0, ["SM1"])], [listed("SM1", "Hi")]), {});
  assert.deepEqual(of([attempt("a", "Hi", 0, ["SM1"])], [listed("SM1", "Hi"), listed("SM2", "Hi")]), {
    a: { carrierId: "SM2" },
  });
  assert.deepEqual(of([attempt("a", "Hi")], [listed("SM1", "Hi"), listed("SM2", "Hi")]), { a: unsure });
});

test("words that are not ours may be ours as Twilio has changed them: what is not found otherwise is not sent again", () => {
  assert.deepEqual(of([attempt("a", "Hi"), attempt("b", "Ho")], [listed("SM1", "Hi"), listed("SM2", "")]), {
    a: { carrierId: "SM1" },
    b: unsure,
  });
  assert.deepEqual(of([attempt("a", null)], []), { a: unsure });
});

test("of an attempt that only the journal had, its digest stands for the words: taken, never taken, or another text", () => {
  const journaled = { ...attempt("j", null), digest: textDigest("Hi", 0) };
  assert.deepEqual(of([journaled], [listed("SM1", "Hi")]), { j: { carrierId: "SM1" } });
  assert.deepEqual(of([journaled], []), {});
  assert.deepEqual(of([journaled], [listed("SM1", "Ho")]), { j: unsure });
  assert.deepEqual(of([journaled], [listed("SM1", "Hi", 0, 1)]), { j: unsure });
  assert.deepEqual(of([journaled, attempt("b", "Hi", 10)], [listed("SM1", "Hi"), listed("SM2", "Hi", 11)]), {
    j: { carrierId: "SM1" },
    b: { carrierId: "SM2" },
  });
});

test("the same words with a picture and without are two texts: neither is taken for the other, and neither is sent again", () => {
  const picture = { ...attempt("p", "Hi"), media: 1 };
  assert.deepEqual(of([picture], [listed("SM1", "Hi", 0, 1)]), { p: { carrierId: "SM1" } });
  assert.deepEqual(of([picture], [listed("SM1", "Hi")]), { p: unsure });
  assert.deepEqual(of([attempt("a", "Hi"), picture], [listed("SM1", "Hi", 0, 1)]), { p: { carrierId: "SM1" } });
});
