import { Command } from "commander";
import type { CarrierRecord } from "#domain/numbers/carrier-account.ts";
import { requirePhone } from "#domain/numbers/phone-number.ts";
import { parseId, publicId, type Uuid } from "#domain/values/id.ts";
import {
  endLoan,
  giveNumbers,
  type Loan,
  lendCarrier,
  listLoans,
  takeNumbersBack,
} from "#operations/accounts/lend-carrier.ts";
import type { Context } from "#operations/context.ts";

type Say = (line: string) => void;
type WithDatabase = (work: (ctx: Context) => Promise<void>) => Promise<void>;
type Options = { tenant: string };
type LendOptions = Options & {
  name?: string;
  perSecond?: string;
  perDay?: string;
  callsAtOnce?: string;
  messaging?: string;
};

/** `parley carrier`: an account with a carrier that who runs the service shares with tenants. */
export function carrierCommand(withDatabase: WithDatabase, say: Say): Command {
  const carrier = new Command("carrier").description("share an account with a carrier with other tenants");
  const about = (name: string, text: string) =>
    carrier
      .command(name)
      .argument("<carrier>", "the account's id, carrier_..., in the tenant that has it")
      .description(text);
  const ofTenant = (name: string, text: string) =>
    about(name, text).requiredOption("--tenant <id>", "who is lent it, tnt_...");

  ofTenant("lend", "lend it to a tenant, or change what the tenant may send by it; what is not named stays")
    .option("--name <name>", "what the tenant sees it as")
    .option("--per-second <texts>", "texts a second, or none")
    .option("--per-day <texts>", "texts a day of the tenant's, or none")
    .option("--calls-at-once <calls>", "calls at once, or none: without it no calls")
    .option("--messaging <id>", "a messaging service (MG...) or profile for this tenant's numbers alone, or none")
    .action((account: string, options: LendOptions) =>
      withDatabase(async (ctx) => {
        const loan = loanOf(account, options);
        const texts_per_second = limitOf("--per-second", options.perSecond);
        const texts_per_day = limitOf("--per-day", options.perDay, true);
        const calls_at_once = limitOf("--calls-at-once", options.callsAtOnce, true);
        const lent = await lendCarrier(ctx, loan, {
          name: options.name,
          limits: {
            ...(texts_per_second !== undefined && { texts_per_second }),
            ...(texts_per_day !== undefined && { texts_per_day }),
            ...(calls_at_once !== undefined && { calls_at_once }),
          },
          ...(options.messaging !== undefined && { settings: settingsOf(options.messaging) }),
        });
        say(`${options.tenant} has it as ${lent.carrier}: ${limitsIn(lent)}`);
      }),
    );
  for (const [name, text, does, done] of [
    ["give", "give a tenant numbers of it, each to one tenant", giveNumbers, "has now"],
    ["take-back", "have numbers of a tenant be the account's owner's again", takeNumbersBack, "has no more"],
  ] as const) {
    ofTenant(name, text)
      .argument("<numbers...>", "such as +12125550100")
      .action((account: string, numbers: string[], options: Options) =>
        withDatabase(async (ctx) => {
          const phones = [...new Set(numbers.map((number) => requirePhone("number", number)))];
          await does(ctx, loanOf(account, options), phones);
          say(`${options.tenant} ${done} ${phones.join(", ")}`);
        }),
      );
  }
  ofTenant("end", "end the loan: its numbers are the account's owner's again").action(
    (account: string, options: Options) =>
      withDatabase(async (ctx) => {
        await endLoan(ctx, loanOf(account, options));
        say(`${options.tenant} has it no more`);
      }),
  );
  about("list", "print whom it is lent to, with limits and numbers").action((account: string) =>
    withDatabase(async (ctx) => {
      for (const { loan, tenantId, numbers } of await listLoans(ctx, accountOf(account))) {
        const has = numbers.length === 0 ? "no numbers" : numbers.join(", ");
        say(`${publicId("tenant", tenantId)} as ${loan.carrier} (${loan.name}): ${limitsIn(loan)}; ${has}`);
      }
    }),
  );
  return carrier;
}

type Limits = Pick<CarrierRecord, "texts_per_second" | "texts_per_day" | "calls_at_once">;

const limitsIn = ({ texts_per_second, texts_per_day, calls_at_once }: Limits): string =>
  `${texts_per_second ?? "any"} texts a second, ${texts_per_day ?? "any"} a day, ${calls_at_once ?? "no"} calls at once`;

function limitOf(option: string, text: string | undefined, isWhole = false): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === "none") return null;
  const limit = Number(text);
  if (!(limit > 0 && limit <= 1_000_000) || (isWhole && !Number.isInteger(limit)))
    throw new Error(`${option} must be a${isWhole ? " whole" : ""} number above 0 and at most 1,000,000, or none`);
  return limit;
}

const settingsOf = (messaging: string): Record<string, unknown> =>
  messaging === "none"
    ? {}
    : messaging.startsWith("MG")
      ? { messaging_service_sid: messaging }
      : { messaging_profile_id: messaging };

const loanOf = (account: string, { tenant: text }: Options): Loan => {
  const tenant = parseId("tenant", text);
  if (tenant === undefined) throw new Error("--tenant is not a tenant's id");
  return { account: accountOf(account), tenant };
};

function accountOf(text: string): Uuid {
  const account = parseId("carrier", text);
  if (account === undefined) throw new Error(`${text} is not an account's id`);
  return account;
}
