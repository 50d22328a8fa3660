import type { Context } from "#operations/context.ts";
import type { Statement, Tx } from "#store/database/db.ts";

/** What a connection says that could not be made. */
export const AWAY = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });

/** A context whose statements fail with what `fails` answers for them; the transaction that one is in fails with it. */
export function withFailing(ctx: Context, fails: (statement: Statement) => Error | undefined): Context {
  const over = (tx: Tx): Tx => {
    const ask = (statement: Statement) => {
      const error = fails(statement);
      if (error) throw error;
    };
    return {
      ...tx,
      async rows<T>(statement: Statement, values?: readonly unknown[]) {
        ask(statement);
        return tx.rows<T>(statement, values);
      },
      async first<T>(statement: Statement, values?: readonly unknown[]) {
        ask(statement);
        return tx.first<T>(statement, values);
      },
      async run(statement, values) {
        ask(statement);
        return tx.run(statement, values);
      },
    };
  };
  const { db } = ctx;
  const transaction: Context["db"]["transaction"] = (work) => db.transaction((tx) => work(over(tx)));
  const failing = { ...db, ...over(db), transaction };
  return { ...ctx, db: failing, tenantDb: failing };
}
