import type { TestContext } from "node:test";

/** Steps of one story: each goes on where the one before has left the page, and after one that failed the rest are skipped. */
export type Steps = {
  step(title: string, run: () => Promise<void>): Promise<void>;
  hasFailed(): boolean;
};

export function stepsOf(t: TestContext): Steps {
  let hasFailed = false;
  return {
    step: (title, run) =>
      t.test(title, { skip: hasFailed }, async () => {
        hasFailed = true;
        await run();
        hasFailed = false;
      }),
    hasFailed: () => hasFailed,
  };
}
