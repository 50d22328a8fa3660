import type { Mutant } from "./mutant.ts";

const SIGN_IN_LIMIT = "test/acceptance/accounts/sign-in-limit.test.ts";

/** Who may sign in, and who sees what. */
export const OF_ACCESS: readonly Mutant[] = [
  {
    id: "guesses-counted-after",
    breaks: "a password is looked at first and counted then: many at once are all looked at",
    file: "src/http/access/login-limit.ts",
    from: `    const waitMs = await this.guesses.takeAll(this.ctx, tries);
    if (waitMs > 0) throw tooManyFailures(Math.ceil(waitMs / 1_000), guess.account ? PASSWORDS : LINKS);
    try {
      const done = await work();
      await this.guesses.giveBack(this.ctx, tries);
      return done;
    } catch (error) {
      if (!isWrong(error)) await this.guesses.giveBack(this.ctx, tries);`,
    to: `    try {
      return await work();
    } catch (error) {
      const waitMs = isWrong(error) ? await this.guesses.takeAll(this.ctx, tries) : 0;`,
    suites: [SIGN_IN_LIMIT],
  },
  {
    id: "guesses-of-one-process",
    breaks: "each process counts wrong passwords for itself: with every node there are more",
    file: "src/operations/accounts/count-guesses.ts",
    from: ": Buffer => ctx.digest(",
    to: ": Buffer => ctx.digest(process.pid + ",
    suites: [SIGN_IN_LIMIT],
  },
  {
    id: "request-log-flushed",
    breaks: "of a class of requests the newest are kept, whoever made them: a flood pushes out what was before",
    file: "src/store/system/requests.ts",
    from: "order by place, id desc offset $3)",
    to: "order by id desc offset $3)",
    suites: ["test/integration/system/request-log.test.ts"],
  },
  {
    id: "stream-of-another-session",
    breaks: "a tab is sent what comes by the cookie of somebody else who has signed in meanwhile",
    file: "console/src/api/stream.ts",
    from: "    if (whose !== sessionId) {\n",
    to: "    if (whose === undefined) {\n",
    suites: ["test/console/stream.test.ts"],
  },
  {
    id: "tenants-unfenced",
    breaks: "row security shows every tenant's rows",
    file: "src/store/database/db.ts",
    from: "string => `set local app.tenant = '",
    to: "string => `set local app.tenant = '*'; --",
    suites: ["test/integration/database/row-security.test.ts"],
  },
];
