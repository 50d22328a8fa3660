import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Owner } from "#test/support/processes/processes.ts";
import { until } from "#test/support/time/until.ts";
import { freePort, start } from "./programs.ts";

type Text = { from: string; to: string; text: string; coding?: string };
export type Kannel = {
  /** Begins to take texts, once it is bound. */
  listen(): Promise<void>;
  /** The status with which its box answers: 202 where it has taken the text. 0: it does not answer. */
  send(text: Text): Promise<number>;
};

/** Debian's Kannel, bound to a gateway on loopback as `kannel`, with a window of so many. It answers texts that come in. */
export async function startKannel(
  owner: Owner,
  where: string,
  { gateway, window = 10, receipts = true }: { gateway: number; window?: number; receipts?: boolean },
): Promise<Kannel> {
  const port = await freePort(4);
  const [admin, box, http] = [port, port + 1, port + 2];
  const config = join(where, "kannel.conf");
  writeFileSync(
    config,
    [
      `group = core\nadmin-port = ${admin}\nsmsbox-port = ${box}\nadmin-password = parley\nbox-allow-ip = 127.0.0.1`,
      `admin-interface = 127.0.0.1\nlog-level = 1\nsms-resend-freq = 1\nlog-file = ${join(where, "core.log")}`,
      `group = smsc\nsmsc = smpp\nsmsc-id = stand-in\nhost = 127.0.0.1\nport = ${gateway}\ntransceiver-mode = true`,
      `smsc-username = kannel\nsmsc-password = secret\nsystem-type = ""\nsource-addr-autodetect = true\nenquire-link-interval = 1`,
      `max-pending-submits = ${window}`,
      `group = smsbox\nbearerbox-host = 127.0.0.1\nsendsms-port = ${http}\nsendsms-interface = 127.0.0.1\nlog-level = 1`,
      "group = sendsms-user\nusername = parley\npassword = parley\nconcatenation = true\nmax-messages = 5",
      `group = sms-service\nkeyword = default\ntext = "echo %a"\nomit-empty = true`,
    ]
      .join("\n")
      .replaceAll("\ngroup", "\n\ngroup"),
  );
  start(owner, "bearerbox", [config], where);
  const send = ({ from, to, text, coding = "0" }: Text) => {
    const query = new URLSearchParams({
      ...{ username: "parley", password: "parley", from, to, text, coding, charset: "UTF-8" },
      ...(receipts ? { "dlr-mask": "31" } : {}),
    });
    return fetch(`http://127.0.0.1:${http}/cgi-bin/sendsms?${query}`).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      () => 0,
    );
  };
  return {
    async listen() {
      // Its box ends where it finds no bearerbox.
      const status = `http://127.0.0.1:${admin}/status.txt?password=parley`;
      const isOn = async () => /\(online/.test(await fetch(status).then((answer) => answer.text()));
      await until("Kannel is bound", () => isOn().catch(() => false), 30_000);
      start(owner, "smsbox", [config], where);
      await until(
        "Kannel's box answers",
        async () => (await fetch(`http://127.0.0.1:${http}/`).catch(() => undefined)) !== undefined,
        30_000,
      );
    },
    send,
  };
}
