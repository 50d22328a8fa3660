import { escapeUser, hostOf } from "#adapters/sip-messages/uri.ts";
import { token } from "./clock.ts";
import { exchange } from "./exchange.ts";
import type { Link } from "./link.ts";

/** The longest wait between two questions to a trunk that does not answer: it is dialled again as soon as it does. */
const ASK_AGAIN_SECONDS = 30;

/** Asks every server of the trunk by OPTIONS whether it is there (RFC 3261, 11); any answer but 503 is yes. The returned function stops it. */
export function keepAlive(link: Link): () => void {
  const { trunk, clock, random } = link;
  const user = escapeUser(trunk.username ?? "parley");
  let stop = () => {};
  let isStopped = false;

  async function ask(): Promise<void> {
    for (const hop of await link.hops()) {
      if (isStopped) return;
      exchange(link, {
        hops: [hop],
        request: {
          method: "OPTIONS",
          uri: `sip:${hostOf(trunk.host)}`,
          headers: [
            ["max-forwards", "70"],
            ["from", `<sip:${user}@${hostOf(trunk.fromDomain ?? trunk.host)}>;tag=${token(random)}`],
            ["to", `<sip:${hostOf(trunk.host)}>`],
            ["call-id", token(random, 16)],
            ["contact", link.contact],
            ["accept", "application/sdp"],
          ],
        },
        nextCseq: () => 1,
        mayRepeat: false,
        on: { final() {}, failed() {} },
      });
    }
    if (isStopped) return;
    const seconds = link.isUp() ? trunk.keepAliveSeconds : Math.min(trunk.keepAliveSeconds, ASK_AGAIN_SECONDS);
    stop = clock.after(seconds * 1_000, () => void ask());
  }

  void ask();
  return () => {
    isStopped = true;
    stop();
  };
}
