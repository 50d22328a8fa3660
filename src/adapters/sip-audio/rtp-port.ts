import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import type { Codec } from "#adapters/sip-messages/formats.ts";
import type { LocalMedia } from "#adapters/sip-messages/offer-answer.ts";
import { fraction, type Random } from "#adapters/sip-transport/clock.ts";
import { type Opus, openOpus } from "./opus.ts";
import { MASTER_BYTES } from "./srtp.ts";

/** Two sockets, for RTP at an even port and RTCP at the next (RFC 3550, 11), and what the other side is to know of them. */
export type RtpPort = {
  local: LocalMedia;
  rtp: Socket;
  rtcp: Socket;
  /** Where it is among the codecs: made before it is agreed on, since a call that is answered cannot wait. */
  opus: Opus | undefined;
  close(): void;
};

/** Ports in use by others are passed over; after so many the range is as good as full. */
const MAX_TRIES = 50;

/**
 * Opens a pair of ports of the range, by chance: a port that can be guessed can be shot at. Fails when the range is full.
 * `publicAddress` is the address announced to the other side, behind a NAT.
 */
export async function openRtpPort(parts: {
  address: string;
  publicAddress?: string;
  /** First and last. */
  range: readonly [number, number];
  codecs: readonly Codec[];
  /** Makes keys for SRTP. */
  hasSrtp: boolean;
  random: Random;
}): Promise<RtpPort> {
  const first = Math.ceil(parts.range[0] / 2);
  const pairs = Math.floor((parts.range[1] - 1) / 2) - first + 1;
  for (let tries = 0; tries < MAX_TRIES && pairs > 0; tries++) {
    const port = 2 * (first + Math.floor(fraction(parts.random) * pairs));
    const rtp = await openSocket(parts.address, port);
    const rtcp = rtp && (await openSocket(parts.address, port + 1));
    if (rtp && rtcp) {
      try {
        const opus = parts.codecs.includes("opus") ? await openOpus() : undefined;
        return portOf(parts, port, { rtp, rtcp, opus });
      } catch (error) {
        rtp.close();
        rtcp.close();
        throw error;
      }
    }
    rtp?.close();
  }
  throw new Error(`no port for RTP is free between ${parts.range[0]} and ${parts.range[1]}`);
}

function portOf(
  parts: Parameters<typeof openRtpPort>[0],
  port: number,
  { rtp, rtcp, opus }: Pick<RtpPort, "rtp" | "rtcp" | "opus">,
): RtpPort {
  const key = () => parts.random(MASTER_BYTES).toString("base64");
  const srtp = [
    { suite: "AES_CM_128_HMAC_SHA1_80", key: key() },
    { suite: "AES_CM_128_HMAC_SHA1_32", key: key() },
  ] as const;
  let isClosed = false;
  return {
    local: {
      address: parts.publicAddress ?? parts.address,
      port,
      codecs: parts.codecs,
      srtp: parts.hasSrtp ? srtp : [],
    },
    rtp,
    rtcp,
    opus,
    close() {
      if (isClosed) return;
      isClosed = true;
      rtp.close();
      rtcp.close();
      opus?.free();
    },
  };
}

/** Undefined when the port is taken. */
async function openSocket(address: string, port: number): Promise<Socket | undefined> {
  const family = isIPv6(address) ? 6 : 4;
  // Only addresses are sent to: asking the name service for each packet would cost a turn of the loop.
  const lookup = (host: string, _: unknown, done: (error: null, address: string, family: number) => void) =>
    done(null, host, family);
  const socket = createSocket({ type: family === 6 ? "udp6" : "udp4", lookup });
  // With such a lookup the socket listens before `bind` has returned.
  const listening = once(socket, "listening");
  socket.bind(port, address);
  try {
    await listening;
  } catch (error) {
    socket.close();
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return undefined;
    throw error;
  }
  // A port that nobody listens at is the other side's affair, and shows in its silence.
  socket.on("error", () => {});
  return socket;
}
