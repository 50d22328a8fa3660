/** Sender and receiver reports (RFC 3550, 6.4) of a call between two. */
export type ReportBlock = {
  ssrc: number;
  /** Lost since the last report, of 256. */
  fractionLost: number;
  lost: number;
  highest: number;
  /** In samples. */
  jitter: number;
  lastReport: number;
  delay: number;
};

export type SenderInfo = { ntp: number; timestamp: number; packets: number; bytes: number };

const SR = 200;
const RR = 201;
const SDES = 202;
const BYE = 203;

/** The packet types that RTCP takes where it comes at RTP's port (RFC 5761, 4). */
export const isRtcp = (packet: Buffer): boolean => packet.length >= 8 && packet[1]! >= 192 && packet[1]! <= 223;

/** A report and our name, which has to be in every packet. `sender` is absent when nothing was sent since the last. */
export function writeReport(
  ssrc: number,
  name: string,
  sender: SenderInfo | undefined,
  block: ReportBlock | undefined,
): Buffer {
  const cname = Buffer.from(name);
  const sdesBytes = Math.ceil((8 + 2 + cname.length + 1) / 4) * 4;
  const reportBytes = 8 + (sender ? 20 : 0) + (block ? 24 : 0);
  const out = Buffer.alloc(reportBytes + sdesBytes);
  out[0] = 0x80 | (block ? 1 : 0);
  out[1] = sender ? SR : RR;
  out.writeUInt16BE(reportBytes / 4 - 1, 2);
  out.writeUInt32BE(ssrc, 4);
  let at = 8;
  if (sender) {
    const seconds = Math.floor(sender.ntp);
    out.writeUInt32BE(seconds >>> 0, at);
    out.writeUInt32BE(Math.floor((sender.ntp - seconds) * 2 ** 32), at + 4);
    out.writeUInt32BE(sender.timestamp, at + 8);
    out.writeUInt32BE(sender.packets >>> 0, at + 12);
    out.writeUInt32BE(sender.bytes >>> 0, at + 16);
    at += 20;
  }
  if (block) {
    out.writeUInt32BE(block.ssrc, at);
    out[at + 4] = block.fractionLost;
    out.writeIntBE(Math.max(-0x800000, Math.min(0x7fffff, block.lost)), at + 5, 3);
    out.writeUInt32BE(block.highest >>> 0, at + 8);
    out.writeUInt32BE(block.jitter, at + 12);
    out.writeUInt32BE(block.lastReport, at + 16);
    out.writeUInt32BE(block.delay >>> 0, at + 20);
    at += 24;
  }
  out[at] = 0x81;
  out[at + 1] = SDES;
  out.writeUInt16BE(sdesBytes / 4 - 1, at + 2);
  out.writeUInt32BE(ssrc, at + 4);
  out[at + 8] = 1;
  out[at + 9] = cname.length;
  cname.copy(out, at + 10);
  return out;
}

export const writeBye = (ssrc: number): Buffer => {
  const out = Buffer.alloc(8);
  out[0] = 0x81;
  out[1] = BYE;
  out.writeUInt16BE(1, 2);
  out.writeUInt32BE(ssrc, 4);
  return out;
};

export type Report = {
  ssrc: number;
  /** The middle of its NTP time, to be sent back; undefined in a receiver's report. */
  ntpMiddle: number | undefined;
  blocks: ReportBlock[];
};

/** The reports in a compound packet; what is malformed ends it. */
export function readReports(packet: Buffer): Report[] {
  const reports: Report[] = [];
  for (let at = 0; at + 8 <= packet.length; ) {
    const end = at + 4 * (packet.readUInt16BE(at + 2) + 1);
    const type = packet[at + 1];
    if (packet[at]! >> 6 !== 2 || end > packet.length) break;
    if (type === SR || type === RR) {
      const first = at + (type === SR ? 28 : 8);
      const count = packet[at]! & 0x1f;
      if (first + 24 * count > end) break;
      reports.push({
        ssrc: packet.readUInt32BE(at + 4),
        ntpMiddle: type === SR ? packet.readUInt32BE(at + 10) : undefined,
        blocks: Array.from({ length: count }, (_, index) => blockAt(packet, first + 24 * index)),
      });
    }
    at = end;
  }
  return reports;
}

const blockAt = (packet: Buffer, at: number): ReportBlock => ({
  ssrc: packet.readUInt32BE(at),
  fractionLost: packet[at + 4]!,
  lost: packet.readIntBE(at + 5, 3),
  highest: packet.readUInt32BE(at + 8),
  jitter: packet.readUInt32BE(at + 12),
  lastReport: packet.readUInt32BE(at + 16),
  delay: packet.readUInt32BE(at + 20),
});
