import { SENDER } from "#test/support/campaigns/campaign.ts";
import { smppGateway } from "#test/support/carriers/smpp/gateway.ts";
import { startTwilio } from "#test/support/carriers/twilio/stand-in.ts";

// The far side of the carriers suite, in a process of its own: a stand-in that takes texts, and says how many it has taken.
const SAID_EVERY_MS = 50;
const owner = { after: () => {} };
const taken = process.argv[2] === "twilio" ? await twilio() : await smpp();

async function twilio(): Promise<() => number> {
  const standIn = await startTwilio(owner);
  standIn.addNumber(SENDER);
  process.stdout.write(`ready: ${standIn.url}\n`);
  return () => {
    // Kept for tests; here it would be memory alone.
    standIn.requests.length = 0;
    return standIn.messages.length;
  };
}

async function smpp(): Promise<() => number> {
  const gateway = await smppGateway(owner);
  process.stdout.write(`ready: 127.0.0.1:${gateway.port}\n`);
  return () => gateway.submitted.length;
}

setInterval(() => process.stdout.write(`taken: ${taken()}\n`), SAID_EVERY_MS);
process.on("SIGTERM", () => process.exit(0));
