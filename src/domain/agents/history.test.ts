import assert from "node:assert/strict";
import { test } from "node:test";
import { type Remembered, withoutUndone } from "./history.ts";

test("who came back has not said STOP, START or to be left alone; all else was said, and all of ours", () => {
  const said: [Remembered["role"], string][] = [
    ["agent", "Reply STOP to stop"],
    ["contact", "Please take me off your list"],
    ["contact", "this is annoying"],
    ["contact", "STOP"],
    ["contact", "START"],
    ["human", "Stop by any time"],
    ["contact", "Who is this?"],
  ];
  const history = said.map(([role, text], i) => ({ id: `msg_${i}`, role, text, at: new Date(i) }));
  assert.deepEqual(
    withoutUndone(history).map(({ id }) => id),
    ["msg_0", "msg_5", "msg_6"],
  );
});
