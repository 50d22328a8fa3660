import { type TObject, Type } from "typebox";
import { CARRIER_FIELDS } from "#contract/numbers/carriers.ts";
import { validator } from "#contract/values/validate.ts";
import { type LiveTenantId, liveTenant } from "#domain/accounts/modes.ts";
import { CARRIER_KINDS, type CarrierKind } from "#domain/numbers/carrier-kind.ts";
import { refuseInvalid } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Accounts, Sealed } from "#operations/carriers.ts";
import type { CarrierAccount, CarrierDriver, OpenCarrier } from "#ports/carrier-account.ts";
import type { Tx } from "#store/database/db.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";
import * as lentCarriers from "#store/numbers/lent-carriers.ts";
import type { SealedPlace, SealingKeys } from "#store/system/sealing.ts";
import * as sealing from "#store/system/sealing.ts";

type Parts = {
  drivers: Readonly<Record<CarrierKind, CarrierDriver>>;
  keys: SealingKeys;
  log: { warn(data: Record<string, unknown>, message: string): void };
};
type Kept = { revision: number; opened: OpenCarrier };

/** Every field is known by its kind: a misspelt one would be kept for nothing. */
const closed = (fields: TObject): TObject => Type.Object(fields.properties, { additionalProperties: false });

const problemsOf = Object.fromEntries(
  CARRIER_KINDS.map((kind) => {
    const { credentials, settings } = CARRIER_FIELDS[kind];
    return [kind, validator(Type.Object({ credentials: closed(credentials), settings: closed(settings) }), "body")];
  }),
) as Record<CarrierKind, ReturnType<typeof validator>>;

/** Opens tenants' accounts, and keeps each as it is at one revision: one that was changed is opened anew, and the older one closed. */
export function openCarriers({ drivers, keys, log }: Parts): Accounts {
  const kept = new Map<string, Kept>();
  const close = (carrier: string, opened: OpenCarrier): Promise<void> =>
    opened.close().catch((err) => log.warn({ err, carrier }, "an account with a carrier could not be closed"));
  const drop = (carrier: string): void => {
    const known = kept.get(carrier);
    kept.delete(carrier);
    if (known) void close(carrier, known.opened);
  };
  /** Over what is opened for its owner: one connection, one set of limits, one circuit breaker, whoever sends. */
  async function borrow(
    tx: Tx,
    tenantId: LiveTenantId,
    { carrier, settings }: Pick<Sealed, "carrier" | "settings">,
  ): Promise<OpenCarrier | undefined> {
    const lender = await lentCarriers.lenderOf(tx, carrier);
    const owner = lender && liveTenant(lender);
    const opened = owner && (await accounts.open(owner, lender.carrier, { tx }));
    return opened?.lend?.({ tenantId, carrier, settings });
  }
  const accounts: Accounts = {
    sessionKinds: CARRIER_KINDS.filter((kind) => drivers[kind].hasSession),
    async open(tenantId, carrier, { tx, revision }) {
      const wanted = revision ?? (await carrierAccounts.revisionOf(tx, tenantId, carrier));
      const known = kept.get(carrier);
      if (wanted !== undefined && known?.revision === wanted) return known.opened;
      const account = wanted === undefined ? undefined : await carrierAccounts.sealed(tx, tenantId, carrier);
      if (!account) {
        drop(carrier);
        return undefined;
      }
      // Another may have opened it meanwhile, and one that reads an older row does not undo that.
      const now = kept.get(carrier);
      if (now && now.revision >= account.revision) return now.opened;
      const opened =
        account.lent_from === null
          ? drivers[account.kind].open({
              ...facts(account),
              tenantId,
              credentials: accounts.unseal(tenantId, account),
            })
          : await borrow(tx, tenantId, account);
      if (!opened) return undefined;
      drop(carrier);
      kept.set(carrier, { revision: account.revision, opened });
      return opened;
    },
    driver: (kind) => drivers[kind],
    refuseWrong(kind, given) {
      const driver = drivers[kind];
      refuseInvalid(problemsOf[kind](given));
      const account = given as Pick<CarrierAccount, "credentials" | "settings">;
      refuseInvalid(driver.problems(account).map(({ field, problem }) => ({ field, message: problem })));
    },
    async seal(tx, tenantId, carrier, credentials) {
      const sealed = Object.entries(credentials).map(async ([field, text]) => [
        field,
        await sealing.seal(tx, keys, text, placeOf(tenantId, carrier, field)),
      ]);
      return Object.fromEntries(await Promise.all(sealed)) as Record<string, string>;
    },
    unseal: (tenantId, { carrier, credentials }) =>
      Object.fromEntries(
        Object.entries(credentials).map(([field, sealed]) => [
          field,
          keys.open(sealed, placeOf(tenantId, carrier, field)),
        ]),
      ),
    tryOut: (tenantId, account, credentials) =>
      drivers[account.kind].open({ ...facts(account), tenantId, credentials }),
    close: async () => {
      const all = [...kept];
      kept.clear();
      await Promise.all(all.map(([carrier, { opened }]) => close(carrier, opened)));
    },
  };
  return accounts;
}

const facts = ({ id, carrier, kind, settings, revision }: Sealed) => ({ id, carrier, kind, settings, revision });

/** Former credentials are sealed as those that count were: they are a copy. */
const placeOf = (tenantId: Uuid, carrier: string, field: string): SealedPlace => ({
  ...{ table: "carrier_accounts", tenantId },
  ...{ row: carrier, column: `credentials.${field}` },
});
