import type { Mutant } from "./mutant.ts";

const MODES = "test/acceptance/accounts/modes.test.ts";

/** What keeps live and test mode apart, and what holds in both. */
export const OF_MODES: readonly Mutant[] = [
  {
    id: "modes-in-one",
    breaks: "a test key reads and changes what is live",
    file: "src/store/accounts/api-keys.ts",
    from: "case tenant.mode when key.mode then tenant.id else tenant.other_id end as in_mode",
    to: "tenant.id as in_mode",
    suites: [MODES],
  },
  {
    id: "opt-out-of-one-mode",
    breaks: "who opted out in test mode is texted live",
    file: "src/store/compliance/opt-outs.ts",
    from: "  await optOutInOtherMode(tx, tenantId, [...fresh, ...harder], optOut);",
    to: "",
    suites: [MODES],
  },
  {
    id: "test-mode-takes-back",
    breaks: "a test key takes a number off the do-not-call list of live mode",
    file: "src/operations/compliance/remove-do-not-call.ts",
    from: '    if (caller.mode === "live") {',
    to: "    {",
    suites: [MODES],
  },
];
