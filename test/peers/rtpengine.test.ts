import assert from "node:assert/strict";
import { test } from "node:test";
import { heldAgain } from "#test/support/processes/standstill.ts";
import { baresip } from "./baresip.ts";
import { kamailio } from "./kamailio.ts";
import { anAgent } from "./parley.ts";
import { missing } from "./programs.ts";
import { rtpengine } from "./rtpengine.ts";
import { source, talk } from "./talk.ts";

const skip = missing("kamailio", "baresip", "rtpengine");

/** A proxy that has the sound of all calls relayed, and the way it goes on each side changed: `there` toward the telephone, `back` toward us. */
const routes = ({ phone, relay, there, back }: { phone: number; relay: number; there: string; back: string }) => ({
  modules: ["rtpengine"],
  settings: [`modparam("rtpengine", "rtpengine_sock", "udp:127.0.0.1:${relay}")`],
  routes: `request_route {
  if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
  if (is_method("CANCEL")) { t_relay(); exit; }
  if (has_totag()) {
    if (is_method("BYE")) rtpengine_delete();
    loose_route();
    t_relay();
    exit;
  }
  record_route();
  if (is_method("INVITE")) {
    rtpengine_offer("replace-origin replace-session-connection ICE=remove DTLS=off ${there}");
    t_on_reply("ANSWER");
  }
  $ru = "sip:phone@127.0.0.1:${phone};transport=udp";
  t_relay();
}
onreply_route[ANSWER] {
  if (has_body("application/sdp")) rtpengine_answer("replace-origin replace-session-connection ICE=remove DTLS=off ${back}");
}
`,
});

/** Of what it would offer by itself baresip takes one by which the two do not understand each other. */
const KNOWN_SUITE = ["AEAD_AES_256_GCM", "AEAD_AES_128_GCM", "AES_256_CM_HMAC_SHA1_80", "AES_256_CM_HMAC_SHA1_32"]
  .concat(["AES_192_CM_HMAC_SHA1_80", "AES_192_CM_HMAC_SHA1_32", "F8_128_HMAC_SHA1_80", "F8_128_HMAC_SHA1_32"])
  .concat(["NULL_HMAC_SHA1_80", "NULL_HMAC_SHA1_32"])
  .map((suite) => `SDES-no-${suite}`)
  .join(" ");

const WAYS = [
  { ours: "RTP", theirs: "RTP", srtp: "off", there: "RTP/AVP", back: "RTP/AVP", account: "" },
  { ours: "SRTP", theirs: "RTP", srtp: "required", there: "RTP/AVP", back: "RTP/SAVP", account: "" },
  {
    ours: "RTP",
    theirs: "SRTP",
    srtp: "off",
    there: `RTP/SAVP ${KNOWN_SUITE}`,
    back: "RTP/AVP",
    account: ";mediaenc=srtp-mand",
  },
  {
    ours: "SRTP",
    theirs: "SRTP",
    srtp: "required",
    there: "RTP/SAVP",
    back: "RTP/SAVP",
    account: ";mediaenc=srtp-mand",
  },
] as const;

for (const { ours, theirs, srtp, there, back, account } of WAYS) {
  test(`through rtpengine we by ${ours} and baresip by ${theirs} hear each other, sample for sample`, {
    skip,
  }, async (t) => {
    await heldAgain(t, async (owner) => {
      const phone = await baresip(owner, { source, account });
      const relay = await rtpengine(owner);
      const proxy = await kamailio(owner, routes({ phone: phone.port, relay: relay.port, there, back }));
      const agent = await anAgent(owner, { port: proxy.port, srtp });
      const { lost, refused, received, jitterMs } = await talk(owner, agent, phone, srtp !== "off");
      t.diagnostic(
        `${ours} to ${theirs}: ${received} packets came, ${lost} lost, ${refused} refused, jitter ${jitterMs.toFixed(1)} ms`,
      );
      assert.equal(refused, 0);
    });
  });
}
