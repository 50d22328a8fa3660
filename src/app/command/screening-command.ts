import { basename } from "node:path";
import { Command } from "commander";
import { parseId, type Uuid } from "#domain/values/id.ts";
import { changeScreening, getScreening } from "#operations/compliance/change-screening.ts";
import { importNationalList } from "#operations/compliance/import-national-list.ts";
import type { Context } from "#operations/context.ts";
import { openOwn } from "./operator-file.ts";

type Say = (line: string) => void;
type WithDatabase = (work: (ctx: Context) => Promise<void>) => Promise<void>;
type ImportOptions = { tenant: string; date: string; areaCodes?: string; change?: boolean };
type SetOptions = {
  tenant: string;
  requireConsent?: string;
  requireVoiceConsent?: string;
  nationalAreas?: string;
  oldListsUntil?: string;
  reason: string;
};

/** `parley dnc`: the national do-not-call files of a tenant, whose subscription (SAN) they belong to. */
export function doNotCallCommand(withDatabase: WithDatabase, say: Say): Command {
  const dnc = new Command("dnc").description("national do-not-call files");
  dnc
    .command("import")
    .argument("<file>", "flat text: a number a line, NPA,NXXXXXX or ten digits")
    .requiredOption("--tenant <id>", "whose subscription it is, tnt_...")
    .requiredOption("--date <day>", "the day the registry made it, YYYY-MM-DD")
    .option("--area-codes <list>", "what it covers, such as 212,305 (default: the area codes in it)")
    .option("--change", "it is a change list, whose lines end in A or D")
    .description("load a full list, or apply a change list, of any size")
    .action((file: string, options: ImportOptions) => {
      const text = openOwn(file, "latin1");
      return withDatabase(async (ctx) => {
        const tenantId = tenantOf(options);
        const kind = options.change ? "change" : "full";
        ctx.audit.by({ tenantId });
        const after = { kind, listed_on: options.date, file: basename(file) };
        ctx.audit.note({ object: { kind: "national_list", id: null }, after });
        const done = await importNationalList(ctx, tenantId, {
          kind,
          listedOn: options.date,
          areaCodes: options.areaCodes === undefined ? undefined : areaCodesOf(options.areaCodes),
          file: basename(file),
          text,
        });
        const passedOver = done.passedOver > 0 ? `, ${done.passedOver} of other area codes passed over` : "";
        say(`${done.areaCodes.length} area codes: ${done.added} numbers added, ${done.deleted} deleted${passedOver}.`);
      });
    });
  return dnc;
}

/** `parley screening`: how strictly a tenant's outreach is screened. */
export function screeningCommand(withDatabase: WithDatabase, say: Say): Command {
  const screening = new Command("screening").description("what a tenant's outreach is screened by");
  screening
    .command("show")
    .requiredOption("--tenant <id>", "the tenant's id, tnt_...")
    .description("print the rules, and the age of every national list")
    .action((options: { tenant: string }) =>
      withDatabase(async (ctx) => {
        const { rules, areas } = await getScreening(ctx, tenantOf(options));
        say(`required consent: ${rules.require_consent}`);
        say(`required consent to calls, which an AI makes: ${rules.require_voice_consent}`);
        say(`area codes without a national list: ${rules.national_areas === "all" ? "refused" : "not screened"}`);
        say(
          `lists older than 31 days: ${rules.old_lists_until ? `allowed until ${rules.old_lists_until.toISOString()}` : "refused"}`,
        );
        say(`texts to phones that were looked up as landlines: ${rules.skip_landlines ? "refused" : "sent"}`);
        for (const area of areas) say(`${area.area_code} listed on ${area.listed_on}`);
      }),
    );
  screening
    .command("set")
    .requiredOption("--tenant <id>", "the tenant's id, tnt_...")
    .option("--require-consent <basis>", "none, inquiry, express or express_written: the least that outreach needs")
    .option("--require-voice-consent <basis>", "the same: the least that a call needs besides, which an AI makes")
    .option("--national-areas <which>", "loaded: screen where a list is loaded; all: refuse area codes without one")
    .option("--old-lists-until <time>", "let lists older than 31 days do until then, or `never`")
    .option("--landlines <what>", "text or skip: phones that were looked up as landlines")
    .requiredOption("--reason <text>", "why; kept with the change")
    .description("change a tenant's rules; each change is kept with its reason")
    .action((options: SetOptions) =>
      withDatabase(async (ctx) => {
        const tenantId = tenantOf(options);
        ctx.audit.by({ tenantId });
        await changeScreening(ctx, tenantId, options);
        say("Changed.");
      }),
    );
  return screening;
}

function tenantOf({ tenant }: { tenant: string }): Uuid {
  const id = parseId("tenant", tenant);
  if (id === undefined) throw new Error("--tenant is not a tenant's id");
  return id;
}

function areaCodesOf(list: string): number[] {
  return list.split(",").map((part) => {
    if (!/^[2-9]\d\d$/.test(part.trim())) throw new Error(`--area-codes: ${part.trim() || "nothing"} is no area code`);
    return Number(part);
  });
}
