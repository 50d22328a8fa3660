import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tenantHosts } from "#adapters/carrier-addresses/tenant-hosts.ts";
import { scriptReader } from "#adapters/dialog-engine/script.ts";
import { fileJournal } from "#adapters/files/journal.ts";
import { argon2Passwords } from "#adapters/passwords/passwords.ts";
import { passkeys } from "#adapters/second-factor/passkeys.ts";
import { timedCodes } from "#adapters/second-factor/timed-codes.ts";
import { type SimulatedCallLine, simulatedCallLine } from "#adapters/simulator/call-line.ts";
import { handsetNetwork, simulatedCarrier } from "#adapters/simulator/carrier.ts";
import { simulatedNumbers } from "#adapters/simulator/numbers.ts";
import { simulatedReassignedNumbers } from "#adapters/simulator/reassigned-numbers.ts";
import { simulatedRegistry } from "#adapters/simulator/registry.ts";
import { identityProviders } from "#adapters/single-sign-on/identity-providers.ts";
import { trunkNumbers } from "#adapters/sip-calls/numbers.ts";
import { smppDriver } from "#adapters/smpp-sessions/driver.ts";
import { callNodes } from "#adapters/sound-bridge/call-nodes.ts";
import { joinSound } from "#adapters/sound-bridge/line.ts";
import { telnyxDriver } from "#adapters/telnyx/driver.ts";
import { twilioDriver } from "#adapters/twilio/driver.ts";
import { vendorHosts } from "#adapters/vendor-http/hosts.ts";
import { publicAddress } from "#adapters/vendor-http/public-address.ts";
import { audioConductor } from "#app/plane/audio-conductor.ts";
import { mixedConductor } from "#app/plane/mixed-conductor.ts";
import { sipAccounts } from "#app/plane/sip-accounts.ts";
import { sipLineName } from "#app/plane/sip-line.ts";
import { streamAccounts } from "#app/plane/stream-accounts.ts";
import { tenantTrunks } from "#app/plane/tenant-trunks.ts";
import { SOUND_LINES, type Sound, STREAM_TICKETS, trunkLines } from "#app/plane/voice-lines.ts";
import { basicsOf } from "#app/process/basics.ts";
import { withRecent } from "#app/process/recent-entries.ts";
import type { Config } from "#app/settings/config.ts";
import { objectsOf } from "#app/settings/objects.ts";
import { sealer, sealingKeys } from "#app/settings/sealing.ts";
import { digester, secretKey } from "#app/settings/secret-key.ts";
import { callDialogs } from "#conversation/calls/dialog.ts";
import { textConductor } from "#conversation/calls/text-call.ts";
import { type LiveTenantId, liveTenant } from "#domain/accounts/modes.ts";
import { createCallingWindows } from "#domain/compliance/calling-window.ts";
import type { CarrierKind } from "#domain/numbers/carrier-kind.ts";
import { type NumberPlan, numberPlan } from "#domain/phones/number-plan.ts";
import { type Context, type NodeLease, UNWATCHED } from "#operations/context.ts";
import { openCarriers } from "#operations/numbers/open-carriers.ts";
import { processState } from "#operations/process-state.ts";
import type { RecentEntries } from "#operations/restore/vouch.ts";
import type { CarrierDriver } from "#ports/carrier-account.ts";
import type { TrunkStore } from "#ports/number-inventory.ts";
import type { Conductor } from "#ports/scripted-contact.ts";
import { NO_TRAIL } from "#store/accounts/audit-trail.ts";
import * as phoneNumbers from "#store/numbers/phone-numbers.ts";
import { trunkStore } from "#store/numbers/trunk-numbers.ts";
import { simulatorCallStore } from "#store/simulator/calls.ts";
import { simulatorStore } from "#store/simulator/simulator.ts";
import * as fence from "#store/system/fence.ts";
import { modelsOf, warmModels } from "./models.ts";
import { speechOf } from "./speech.ts";

const data = (name: string): string => readFileSync(new URL(`../../data/${name}`, import.meta.url), "utf8");

/** In the data directory: what was sent and who opted out, for when the database is restored from a backup. */
export const JOURNAL = "journal";
/** Where the audit logs end, a line a day of each. */
export const AUDIT_HEADS = "audit-heads.ndjson";

let plan: NumberPlan | undefined;
/** Read once a process: it takes a fifth of a second and 18 MB, and never changes. */
const sharedPlan = (): NumberPlan => {
  plan ??= numberPlan(data("area-codes.csv"), data("exchange-time-zones.csv"));
  return plan;
};

/** Every `wire` makes new adapters, which share the database and the number plan. */
export type Wired = {
  ctx: Context;
  store: ReturnType<typeof simulatorStore>;
  simulatedCalls: SimulatedCallLine;
  trunks: TrunkStore;
  /** What its journal got last. */
  recent: RecentEntries;
  close(): Promise<void>;
};

/** What kinds of accounts with carriers can be had here, each by its driver. */
function driversOf(
  config: Config,
  trunksOf: ReturnType<typeof tenantTrunks>,
  callsOf: ReturnType<typeof streamAccounts>,
  log: Context["log"],
): Record<CarrierKind, CarrierDriver> {
  const { carrierHosts, carrierPrivateHosts, publicUrl, baseUrl } = config;
  const parts = { hosts: vendorHosts(carrierHosts), publicUrl: publicUrl ?? baseUrl };
  const gateways = { hosts: tenantHosts(carrierPrivateHosts), now: () => new Date(), random: Math.random, log };
  return {
    twilio: twilioDriver({ ...parts, callsOf }),
    telnyx: telnyxDriver(parts),
    smpp: smppDriver(gateways),
    sip: sipAccounts(config, data("sip-presets.json"), trunksOf),
  };
}

/** The conductor of simulated calls. A call that lasts by the tenant's clock can be fast-forwarded as text only. */
function conductorOf(config: Config, models: Context["models"], objects: Context["objects"], sound: Sound | undefined) {
  const text = textConductor(callDialogs(models, () => new Date()));
  if (sound === undefined || config.simulatorCalls === "text") return text;
  const audio = audioConductor(sound.plane, objects);
  const isMixed = config.simulatorCalls === "auto" && config.simulatorCallPace === "full";
  const withAudio = isMixed
    ? mixedConductor({
        audio,
        text,
        atOnce: sound.simulatedAtOnce,
        room: sound.plane.room,
        largest: config.simulatorAudioLeads,
      })
    : audio;
  const scripted = isMixed || config.simulatorCalls === "audio" ? withAudio : text;
  return ((call, on) => {
    const { line, played } = call.contact;
    // A call that is played by typing is text.
    const typed = played ? text : scripted;
    return (line ? withAudio : typed)(call, on);
  }) satisfies Conductor;
}

/** Wires a process's operations: the one place that chooses the adapters. */
export function wire(
  config: Config & { answerWithinMs?: number },
  databaseUrl: string,
  name: string,
  node?: NodeLease,
  sound?: Sound,
): Wired {
  const basics = basicsOf(config, databaseUrl, name, node);
  const { db, newId, log } = basics;
  const plan = sharedPlan();
  const windows = createCallingWindows();
  const store = simulatorStore(db);
  const callStore = simulatorCallStore(db);
  const simulator = simulatedCarrier(
    { store, plan, windows, random: Math.random },
    {
      latencyMs: config.simulatorLatencyMs,
      ratePerSecond: config.simulatorRate,
      lostReplyRate: config.simulatorLostReplyRate,
      receiptMs: config.simulatorReceiptMs,
      reports: config.simulatorReports,
      profile: config.complianceProfile,
    },
  );
  const numbers = simulatedNumbers(plan);
  const written = fileJournal({
    folder: join(config.dataDir, JOURNAL),
    writer: `${name}-${newId()}`,
    days: config.journalDays,
    now: () => new Date(),
    isFenced: async () => (await fence.read(db)).fenced_at !== null,
  });
  const { journal, recent } = withRecent(written);
  const models = modelsOf(config);
  if (name === "worker" || name === "media") warmModels(config);
  const speech = speechOf(config);
  const objects = objectsOf(config);
  const simulatedCalls = simulatedCallLine(
    {
      store: callStore,
      conduct: conductorOf(config, models, objects, sound),
      bridge: sound?.bridge,
      ...(sound && config.simulatorCalls === "audio" ? { room: sound.plane.room } : {}),
      windows,
      now: () => new Date(),
      random: Math.random,
    },
    {
      latencyMs: config.simulatorLatencyMs,
      lostReplyRate: config.simulatorLostReplyRate,
      reports: config.simulatorReports,
      profile: config.complianceProfile,
      pace: config.simulatorCallPace,
    },
  );
  const trunks = trunkStore(db);
  const trunkCalls = trunkLines(config, { trunks, store: objects, sound, now: () => new Date(), log });
  const trunkStocks = (config.sipTrunks ?? []).map((trunk) => trunkNumbers(sipLineName(trunk), trunk.numbers, trunks));
  const lineByName = (wanted: string) => [simulatedCalls, ...trunkCalls].find((line) => line.name === wanted);
  /** What a number was bought from is what calls from it leave by. */
  const lineOfNumber = async (tenantId: LiveTenantId, number: string) => {
    const owned = await phoneNumbers.find(db, tenantId, number);
    const line = owned && lineByName(owned.carrier);
    return line && (await line.mayCallFrom(tenantId, number)) ? line : undefined;
  };
  const stocks = [numbers, ...trunkStocks];
  const root = secretKey(config);
  const trunksOf = tenantTrunks(sound, { store: objects, now: () => new Date(), log });
  const callsOf = streamAccounts(sound, { store: objects, now: () => new Date(), log });
  const keys = sealingKeys(config);
  const accounts = openCarriers({
    drivers: driversOf(config, trunksOf, callsOf, log),
    keys,
    log,
  });
  const ctx: Context = {
    ...basics,
    tenantDb: db,
    digest: digester(root, "api-keys"),
    signLink: digester(root, "links"),
    sealingKeys: keys,
    timedCodes: timedCodes(),
    passkeys: passkeys(),
    sessionTimes: { idleMs: config.sessionIdleMinutes * 60_000, longestMs: config.sessionHours * 3_600_000 },
    identityProviders: identityProviders(tenantHosts(config.carrierPrivateHosts), tenantHosts()),
    passwords: argon2Passwords(data("common-passwords.txt")),
    numberPlan: plan,
    callingWindows: windows,
    profile: config.complianceProfile,
    clockMovesLive: config.liveClock === "moved",
    textPrices: { segment: config.pricePerSegment, pictureText: config.pricePerPictureText },
    pricePerLookup: config.pricePerLookup,
    firstHourTexts: config.firstHourTexts,
    callPrices: {
      carrierMinute: config.priceCallMinute,
      speechToTextMinute: config.priceSpeechToTextMinute,
      voiceThousandCharacters: config.priceVoiceThousandCharacters,
      modelMillionInput: config.priceModelMillionInput,
      modelMillionOutput: config.priceModelMillionOutput,
    },
    carriers: { simulator, accounts },
    publicUrl: config.publicUrl ?? config.baseUrl,
    publicAddress: publicAddress(),
    lines: {
      async forNumber(user, number) {
        const live = liveTenant(user);
        return live ? lineOfNumber(live, number) : simulatedCalls;
      },
      names: (mode) => (mode === "test" ? [simulatedCalls.name] : trunkCalls.map((line) => line.name)),
      byName: lineByName,
    },
    models,
    script: scriptReader(),
    voice: speech.voice,
    registry: simulatedRegistry,
    reassignedNumbers: config.reassignedNumbers === "simulated" ? simulatedReassignedNumbers : undefined,
    handsets: handsetNetwork(store, callStore, joinSound(digester(root, SOUND_LINES))),
    callNodes: callNodes(digester(root, SOUND_LINES), sealer(root, STREAM_TICKETS)),
    objects,
    kept: { eventDays: config.eventDays, journalDays: config.journalDays },
    numbers: {
      forTenant: (user) => (liveTenant(user) ? trunkStocks : [numbers]),
      byName: (wanted) => stocks.find((stock) => stock.name === wanted),
    },
    journal,
    process: processState(),
    audit: NO_TRAIL,
    watch: UNWATCHED,
  };
  return {
    ctx,
    store,
    simulatedCalls,
    trunks,
    recent,
    close: () =>
      accounts
        .close()
        .then(() => Promise.all([db.close(), journal.close(), speech.close()]))
        .then(() => {}),
  };
}
