import type { Uuid } from "#domain/values/id.ts";
import { crossTenant, type Tx } from "#store/database/db.ts";

const readSetup = crossTenant("read-console-setup", "select salt from console_setup");

/** What makes this database's setup link its own. */
export async function salt(tx: Tx): Promise<Uuid> {
  return (await tx.first<{ salt: Uuid }>(readSetup))!.salt;
}

const holdSetup = crossTenant("hold-console-setup", "select from console_setup for update");

/** Lets one at a time set the console up, until the transaction ends. */
export async function hold(tx: Tx): Promise<void> {
  await tx.run(holdSetup);
}
