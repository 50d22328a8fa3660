import assert from "node:assert/strict";
import { test } from "node:test";
import { aCall, anAgent, noise, shareHeard, until } from "./parley.ts";
import { freePort, missing } from "./programs.ts";
import { sippServer, step } from "./sipp.ts";

const skip = missing("sipp");

/** The INVITE's own Via and From, for answers that come after other requests. */
const KEPT = [
  ["Via", "via"],
  ["From", "from"],
]
  .map(([name, as]) => `<ereg regexp=".*" search_in="hdr" header="${name}:" assign_to="${as}"/>`)
  .join("");

/** An answer of one of the phones that the INVITE was forked to. */
const from = (phone: string, status: string, body = "", headers = "") =>
  step
    .answer(status, { body, headers, tag: "" })
    .replace("[last_Via:]", "Via:[$via]")
    .replace("[last_From:]", "From:[$from]")
    .replace("[last_To:]", `To: <sip:+12125550123@127.0.0.1>;tag=${phone}`)
    .replace("[last_CSeq:]", "CSeq: 1 INVITE");

/** A request of ours to one of them, or sipp calls it a failure. */
const hears = (method: string, phone: string) =>
  step.receive(
    method,
    "",
    `<ereg regexp="tag=${phone}" search_in="hdr" header="To:" check_it="true" assign_to="seen"/><log message="[$seen]"/>`,
  );

test("of two phones that answer the first has the call, and the other is thanked and hung up on", {
  skip,
}, async (t) => {
  const sipp = await sippServer(
    t,
    [
      step.receive("INVITE", "", KEPT),
      from("one", "180 Ringing"),
      from("two", "180 Ringing"),
      from("two", "200 OK", step.sdp()),
      hears("ACK", "two"),
      from("one", "200 OK", step.sdp()),
      hears("ACK", "one"),
      hears("BYE", "one"),
      step.answer("200 OK", { tag: "" }),
      hears("BYE", "two"),
      step.answer("200 OK", { tag: "" }),
    ],
    { args: ["-rtp_echo"] },
  );
  const agent = await anAgent(t, { port: sipp.port });
  const { call, events, sound } = await aCall(t, agent);
  await until(() => events.includes("answered"), "answered");
  const said = noise(20);
  await sound.say(said);
  await until(() => sound.heard.size >= 20, "the call goes on");
  assert.equal(shareHeard(said, sound.heard), 1);
  assert.equal(agent.count().calls, 1);
  call.hangup();

  assert.equal(await sipp.ended, 0, sipp.said());
  assert.deepEqual(events, ["proceeding", "ringing 180", "ringing 180", "answered", "ended: we_hung_up"]);
});

test("after the announcement of one phone the sound is that of the phone that answers", { skip }, async (t) => {
  const elsewhere = await freePort();
  const sipp = await sippServer(
    t,
    [
      step.receive("INVITE", "", KEPT),
      from("one", "183 Session Progress", step.sdp().replace("[media_port]", String(elsewhere))),
      from("two", "200 OK", step.sdp()),
      hears("ACK", "two"),
      hears("BYE", "two"),
      step.answer("200 OK", { tag: "" }),
    ],
    { args: ["-rtp_echo"] },
  );
  const { call, events, sound } = await aCall(t, await anAgent(t, { port: sipp.port }));
  await until(() => events.includes("answered"), "answered");
  const said = noise(20);
  await sound.say(said);
  await until(() => sound.heard.size >= 20, "the phone that answered hears us");
  call.hangup();

  assert.equal(await sipp.ended, 0, sipp.said());
  assert.equal(shareHeard(said, sound.heard), 1);
  assert.deepEqual(events, ["proceeding", "early media", "ringing 183", "answered", "ended: we_hung_up"]);
});
