import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Codec } from "#adapters/sip-messages/formats.ts";
import { createResampler, outputRoom, type Rate } from "#domain/calls/resample.ts";
import type { Owner } from "#test/support/processes/processes.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { freePort, type Program, start } from "./programs.ts";

/** As its accounts name them: it has G.722 by its sound's rate. */
export const BARESIP_CODECS: Readonly<Record<Codec, string>> = {
  opus: "opus/48000/2",
  G722: "G722/16000/1",
  PCMU: "PCMU/8000/1",
  PCMA: "PCMA/8000/1",
};

export type Baresip = Program & {
  port: number;
  tlsPort: number;
  /** A command of its menu, as if typed. */
  command(command: string, params?: string): void;
  /** What has happened to it, as it reports. */
  events: BaresipEvent[];
  /** What it heard, 16-bit samples at 8 kHz, by its recorder: whole once the call is over. */
  heard(): Int16Array;
  /** What it said, until the call was over. */
  played(): Int16Array;
};

/** `id` is the call's Call-ID, `param` a reason or a status, `atMs` when it was reported, by `performance.now()`. */
export type BaresipEvent = { type: string; class?: string; id?: string; param?: string; atMs: number };

export type BaresipOptions = {
  source?: Int16Array;
  /** Of the source, where it has more than the telephone's band. */
  sourceRate?: 16_000;
  /** Its account's name; `phone` by default. It answers to no other. */
  name?: string;
  /** Where it listens, one of two in a row that are free; found by default. */
  port?: number;
  /** Where it registers, by its name and this password. */
  registrar?: { port: number; password: string };
  account?: string;
  answers?: boolean;
  tls?: { cert: string };
  /** What it speaks besides G.711, as its accounts name it, the first first: `opus/48000/2`, `G722/16000/1`. */
  codecs?: readonly string[];
  /** Frames that it may keep back, least and most; `1-2` by default. */
  jitter?: string;
  /** Called for every event, after it was written down. */
  on?(event: BaresipEvent, phone: Pick<Baresip, "command">): void;
};

const MODULES = ["g711", "g722", "opus", "account", "menu", "ctrl_tcp", "aufile", "sndfile", "srtp", "stdio", "cons"];

/**
 * A telephone that answers by itself, or on `answer`. It speaks the file `source` (16-bit WAV), or is silent, and
 * records what it hears.
 */
export async function baresip(owner: Owner, options: BaresipOptions = {}): Promise<Baresip> {
  const where = aFolder("peer");
  const [port, control] = [options.port ?? (await freePort()), await freePort()];
  const tlsPort = port + 1;
  mkdirSync(join(where, "recorded"));
  const source = join(where, "source.wav");
  const sourceRate = options.sourceRate ?? 8_000;
  writeFileSync(source, wav(options.source ?? new Int16Array(8_000), sourceRate));
  if (options.tls) writeFileSync(join(where, "cert.pem"), options.tls.cert);
  const config = [
    `sip_listen 127.0.0.1:${port}`,
    ...(options.tls ? [`sip_certificate ${join(where, "cert.pem")}`] : []),
    "net_interface 127.0.0.1",
    "call_max_calls 50",
    `audio_source aufile,${source}`,
    "audio_player aufile,/dev/null",
    ...(options.codecs
      ? [
          `ausrc_srate ${sourceRate}`,
          "ausrc_channels 1",
          "auplay_srate 8000",
          "auplay_channels 1",
          "opus_inbandfec yes",
        ]
      : ["audio_srate 8000-8000", "audio_channels 1-1"]),
    "audio_txmode thread",
    `rtp_ports ${await freePort()}-${30_998}`,
    `jitter_buffer_delay ${options.jitter ?? "1-2"}`,
    `ctrl_tcp_listen 127.0.0.1:${control}`,
    `snd_path ${join(where, "recorded")}`,
    "module_path /usr/lib/baresip/modules",
    ...MODULES.filter((name) => options.codecs || (name !== "opus" && name !== "g722"))
      .filter(
        (name) => name !== "stdio" && name !== "cons" && name !== "account" && name !== "menu" && name !== "ctrl_tcp",
      )
      .map((name) => `module ${name}.so`),
    "module_app account.so",
    "module_app menu.so",
    "module_app ctrl_tcp.so",
  ];
  writeFileSync(join(where, "config"), `${config.join("\n")}\n`);
  const mode = options.answers === false ? "manual" : "auto";
  const transport = options.tls ? ";transport=tls" : "";
  const name = options.name ?? "phone";
  const { registrar } = options;
  const registers = registrar ? `regint=300;auth_user=${name};auth_pass=${registrar.password}` : "regint=0";
  writeFileSync(
    join(where, "accounts"),
    `<sip:${name}@127.0.0.1${registrar ? `:${registrar.port}` : ""}${transport}>;${registers};answermode=${mode};audio_codecs=${(options.codecs ?? ["PCMU/8000/1", "PCMA/8000/1"]).join(",")}${options.account ?? ""}\n`,
  );
  writeFileSync(join(where, "contacts"), "");
  const program = start(owner, "baresip", ["-f", where, "-4"], where);
  const events: BaresipEvent[] = [];
  const socket = await controlOf(owner, control);
  const command: Baresip["command"] = (command, params) => {
    const text = JSON.stringify({ command, params, token: "t" });
    socket.write(`${Buffer.byteLength(text)}:${text},`);
  };
  socket.on(
    "data",
    netstrings((text) => {
      const message = { ...JSON.parse(text), atMs: performance.now() } as BaresipEvent & { event?: boolean };
      if (!message.event) return;
      events.push(message);
      options.on?.(message, { command });
    }),
  );
  const recorded = (side: "enc" | "dec") => {
    const names = readdirSync(join(where, "recorded")).filter((file) => file.includes(side));
    const bytes = readFileSync(join(where, "recorded", names.at(-1)!));
    // After the 44 bytes of a WAV's head, which says in what the codec has it.
    const [channels, rate] = [bytes.readUInt16LE(22), bytes.readUInt32LE(24) as Rate];
    const all = new Int16Array(
      bytes.buffer.slice(bytes.byteOffset + 44, bytes.byteOffset + bytes.length - (bytes.length % 2)),
    );
    const samples = channels === 1 ? all : all.filter((_, i) => i % channels === 0);
    if (rate === 8_000) return samples;
    const narrow = new Int16Array(outputRoom(samples.length, rate, 8_000));
    return narrow.slice(0, createResampler(rate, 8_000)(samples, narrow));
  };
  return {
    ...program,
    port,
    tlsPort,
    command,
    events,
    heard: () => recorded("dec"),
    played: () => recorded("enc"),
  };
}

/** Takes texts out of `5:hello,` one after the other, however they come. */
function netstrings(on: (text: string) => void): (bytes: Buffer) => void {
  let kept = Buffer.alloc(0);
  return (bytes) => {
    kept = Buffer.concat([kept, bytes]);
    for (;;) {
      const colon = kept.indexOf(":");
      const length = Number(kept.toString("latin1", 0, Math.max(0, colon)));
      if (colon < 0 || kept.length < colon + length + 2) return;
      on(kept.toString("utf8", colon + 1, colon + 1 + length));
      kept = kept.subarray(colon + length + 2);
    }
  };
}

/** It listens once all of its modules are there. */
async function controlOf(owner: Owner, port: number): Promise<Socket> {
  for (let tries = 0; ; tries++) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await new Promise<boolean>((done) => {
      socket.once("connect", () => done(true));
      socket.once("error", () => done(false));
    });
    if (isOpen) {
      socket.on("error", () => {});
      owner.after(() => socket.destroy());
      return socket;
    }
    if (tries > 100) throw new Error("baresip never listened");
    await pause(100);
  }
}

/** A key and a certificate of its own for 127.0.0.1, PEM, together. */
export function certificate(): { cert: string; key: string } {
  const where = aFolder("peer");
  const [key, cert] = [join(where, "key.pem"), join(where, "cert.pem")];
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", cert];
  spawnSync("openssl", [...made, ...subject]);
  return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
}

function wav(samples: Int16Array, rate: number): Buffer {
  const data = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  const head = Buffer.alloc(44);
  head.write("RIFF");
  head.writeUInt32LE(36 + data.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(2 * rate, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}
