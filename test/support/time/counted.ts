import type { Context } from "#operations/context.ts";
import type { Statement, Tx } from "#store/database/db.ts";
import { until } from "./until.ts";

/** What looks again and again for what it waits for has looked this often, and still waits. */
const LOOKS = 3;

/** Whether an attempt is still on its way, as an opt-out asks it. */
export const OPEN_ATTEMPTS = "count-open-attempts";
/** The same as a pause asks it, of a campaign. */
export const IN_FLIGHT = "count-attempts-in-flight-of-campaign";

/** The context, and how often it has run the statement of this name to its end. */
export function counted(of: Context, name: string): { ctx: Context; times(): number } {
  let times = 0;
  const noting =
    <Result>(run: (statement: Statement, values?: readonly unknown[]) => Promise<Result>) =>
    async (statement: Statement, values?: readonly unknown[]): Promise<Result> => {
      const result = await run(statement, values);
      if (statement.name === name) times++;
      return result;
    };
  const over = (tx: Tx): Tx => ({
    ...tx,
    rows: noting(tx.rows) as Tx["rows"],
    first: noting(tx.first) as Tx["first"],
    run: noting(tx.run),
  });
  const transaction: Context["db"]["transaction"] = (work) => of.db.transaction((tx) => work(over(tx)));
  return { ctx: { ...of, db: { ...of.db, ...over(of.db), transaction } }, times: () => times };
}

/** Waits until work that looks again and again has looked for what it waits for, found that it has to wait, and looked again. */
export const looksAgain = ({ times }: { times(): number }): Promise<boolean> => {
  const before = times();
  return until("it looks again", async () => times() >= before + LOOKS);
};
