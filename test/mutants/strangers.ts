import type { Mutant } from "./mutant.ts";

const STRANGERS = "src/adapters/sip-transport/strangers.test.ts";
const TRUNKS = "src/adapters/sip-calls/changing-trunks.test.ts";

/** What an unknown sender of SIP and RTP can do. */
export const OF_STRANGERS: readonly Mutant[] = [
  {
    id: "oversized-datagram-read",
    breaks: "a datagram of any length is parsed",
    file: "src/adapters/sip-transport/door.ts",
    from: "if (bytes > MAX_STRANGERS_BYTES)",
    to: "if (bytes > 65_535)",
    suites: [STRANGERS],
  },
  {
    id: "stranger-answered-over-udp",
    breaks: "an unknown sender of a datagram is answered, wherever that goes",
    file: "src/adapters/sip-transport/gatekeeper.ts",
    from: "(isUdp && !(isInvite && asksOverUdp))",
    to: "false",
    suites: [STRANGERS],
  },
  {
    id: "no-lockout",
    breaks: "passwords can be guessed for ever",
    file: "src/adapters/sip-transport/gatekeeper.ts",
    from: "if (its.wrong >= WRONG_PASSWORDS.most)",
    to: "if (its.wrong < 0)",
    suites: [STRANGERS],
  },
  {
    id: "nonce-for-all",
    breaks: "a challenge that one address was given is good at any other, and locks it out",
    file: "src/adapters/sip-transport/gatekeeper.ts",
    from: ".update(address)",
    to: "",
    suites: [STRANGERS],
  },
  {
    id: "numbers-of-others",
    breaks: "a trunk rings the numbers of another",
    file: "src/adapters/sip-calls/agent.ts",
    from: "numbers !== undefined && !numbers.includes(calledIn(request, lane.link.trunk))",
    to: "false",
    suites: [STRANGERS],
  },
  {
    id: "call-of-another-tenants-trunk",
    breaks: "a call from addresses that trunks share is whoever's trunk came first",
    file: "src/adapters/sip-transport/gatekeeper.ts",
    from: "byNumber.get(calledIn(request))?.find(isTheirs) ?? lists.find(isTheirs)",
    to: "lists.find(isTheirs)",
    suites: [TRUNKS],
  },
  {
    id: "sound-to-a-private-address",
    breaks: "a tenant's trunk sends the sound of a call into the service's own network",
    file: "src/adapters/sip-transport/link.ts",
    from: "if (trunk.mayReach(address, address)) return agreed;",
    to: "return agreed;",
    suites: [TRUNKS],
  },
  {
    id: "silent-connections-stay",
    breaks: "a connection that proves nothing stays open",
    file: "src/adapters/sip-transport/transports.ts",
    from: "if (visit.isProven()) return;",
    to: "if (!visit.isProven()) return;",
    suites: [STRANGERS],
  },
  {
    id: "connections-of-one",
    breaks: "one unknown address takes all connections",
    file: "src/adapters/sip-transport/door.ts",
    from: "const STRANGERS_CONNECTIONS = { each: 10,",
    to: "const STRANGERS_CONNECTIONS = { each: 200,",
    suites: [STRANGERS],
  },
  {
    id: "rtp-reflected",
    breaks: "sound goes on toward an address that never sent us any",
    file: "src/adapters/sip-audio/rtp-source.ts",
    from: "history.burstLeft--;",
    to: "",
    suites: ["src/adapters/sip-audio/rtp-source.test.ts"],
  },
  {
    id: "rtp-before-ack",
    breaks: "a forged INVITE sends sound to whom it names",
    file: "src/adapters/sip-transport/link.ts",
    from: 'isConfirmed ? "burst" : "heard"',
    to: '"burst"',
    suites: [STRANGERS],
  },
  {
    id: "rtp-from-anybody",
    breaks: "sound is taken from whoever sends it",
    file: "src/adapters/sip-audio/rtp-source.ts",
    from: "isFrom(packet.address) &&",
    to: "",
    suites: ["src/adapters/sip-audio/rtp-source.test.ts"],
  },
];
