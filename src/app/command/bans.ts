import { Command, Option } from "commander";
import { banRule, type CallingBan } from "#domain/compliance/calling-ban.ts";
import { findJurisdiction } from "#domain/compliance/jurisdiction.ts";
import { parseId, publicId } from "#domain/values/id.ts";
import { parseInstant } from "#domain/values/instant.ts";
import type { Context } from "#operations/context.ts";
import * as callingBans from "#store/compliance/calling-bans.ts";
import type { WithDatabase } from "./entries.ts";

type Options = { channel: CallingBan["channel"]; from?: string; until?: string; reason: string; tenant?: string };

/** `parley ban add | list | remove`: an operator's orders not to reach out to a state for a time. */
export function banCommand(withDatabase: WithDatabase, say: (line: string) => void): Command {
  const ban = new Command("ban").description("emergency bans on outreach to a state");
  ban
    .command("add")
    .argument("<jurisdiction>", "a state or province (LA, US-LA, CA-ON), or US")
    .requiredOption("--reason <text>", "why; shown to whoever asks why a contact was not reached")
    .addOption(new Option("--channel <channel>", "what it forbids").choices(["any", "sms", "voice"]).default("any"))
    .option("--from <time>", "when it begins, ISO 8601 with a zone; default: now")
    .option("--until <time>", "when it ends; default: until it is removed")
    .option("--tenant <id>", "for one tenant, tnt_...; default: for the whole service")
    .description("forbid outreach to a state from now on, or for a time; answers still leave")
    .action((jurisdiction: string, options: Options) =>
      withDatabase(async (ctx, _config, entries) => {
        const ban = readBan(ctx, jurisdiction, options);
        const note = { object: objectOf(ban), before: null, after: termsOf(ban), reason: ban.reason };
        if (ban.tenant_id !== null) ctx.audit.by({ tenantId: ban.tenant_id });
        ctx.audit.note(note);
        const isThere = await ctx.db.transaction((tx) => callingBans.insert(tx, ban, ctx.now()));
        if (!isThere) throw new Error(`There is no tenant ${options.tenant}`);
        if (ban.tenant_id === null) await entries.inAll(note);
        say(banRule(ban));
      }),
    );
  ban
    .command("list")
    .description("list every ban, of the service and of all tenants")
    .action(() =>
      withDatabase(async (ctx) => {
        for (const ban of await callingBans.listAll(ctx.db)) say(banLine(ban));
      }),
    );
  ban
    .command("remove")
    .argument("<id>", "the ban's id, ban_...")
    .description("lift a ban; texts that it held leave within the hour")
    .action((text: string) =>
      withDatabase(async (ctx, _config, entries) => {
        const id = parseId("ban", text);
        const ban = (await callingBans.listAll(ctx.db)).find((one) => one.id === id);
        if (ban === undefined) throw new Error(`There is no ban ${text}`);
        const note = { object: objectOf(ban), before: termsOf(ban), after: null };
        if (ban.tenant_id !== null) ctx.audit.by({ tenantId: ban.tenant_id });
        ctx.audit.note(note);
        if (!(await callingBans.remove(ctx.db, ban.id))) throw new Error(`There is no ban ${text}`);
        if (ban.tenant_id === null) await entries.inAll(note);
        say(`${text} is lifted.`);
      }),
    );
  return ban;
}

const objectOf = ({ id }: callingBans.StoredBan) => ({ kind: "ban", id: publicId("ban", id) });

const termsOf = ({ jurisdiction, channel, from, until }: callingBans.StoredBan) => ({
  jurisdiction,
  channel,
  from,
  until,
});

/** A ban as it was written, checked; fails with one sentence that names what is wrong. */
function readBan(ctx: Context, text: string, options: Options): callingBans.StoredBan {
  const jurisdiction = findJurisdiction(text);
  if (jurisdiction === undefined) throw new Error(`${text} is not a state or province, nor US`);
  const tenantId = options.tenant === undefined ? null : parseId("tenant", options.tenant);
  if (tenantId === undefined) throw new Error("--tenant is not a tenant's id");
  const from = options.from === undefined ? ctx.now() : readTime("--from", options.from);
  const until = options.until === undefined ? null : readTime("--until", options.until);
  if (until !== null && until <= from) throw new Error("--until must be after the ban begins");
  if (options.reason.trim() === "") throw new Error("--reason must say something");
  return {
    tenant_id: tenantId,
    id: ctx.newId(),
    jurisdiction,
    channel: options.channel,
    from,
    until,
    reason: options.reason,
  };
}

function readTime(option: string, text: string): Date {
  const time = parseInstant(text);
  if (time === undefined)
    throw new Error(`${option} must be an ISO 8601 time with a zone, such as 2026-11-20T15:00:00Z`);
  return time;
}

function banLine(ban: callingBans.StoredBan): string {
  const whose = ban.tenant_id === null ? "service" : publicId("tenant", ban.tenant_id);
  const until = ban.until === null ? "further notice" : ban.until.toISOString();
  return `${banRule(ban)}  ${ban.jurisdiction}  ${ban.channel}  ${ban.from.toISOString()} to ${until}  ${whose}  ${ban.reason}`;
}
