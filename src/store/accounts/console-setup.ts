import type { Uuid } from "#domain/values/id.ts";
import { crossTenant, type Tx } from "#store/database/db.ts";

const readSetup = crossTenant("read-console-setup", "select salt from console_setup");

/** The seed that makes this database's setup link unique. */
export async function salt(tx: Tx): Promise<Uuid> {
  return (await tx.first<{ salt: Uuid }>(readSetup))!.salt;
}

const holdSetup = crossTenant("hold-console-setup", "select from console_setup for update");

/** Locks the setup of the console until the transaction ends. */
export async function hold(tx: Tx): Promise<void> {
  await tx.run(holdSetup);
}
