import type { Mutant } from "./mutant.ts";

const SCREENING = "test/integration/compliance/screening.test.ts";
const LIMITS = "test/acceptance/accounts/organization-limits.test.ts";

/** What keeps the people of one organization from another's things, and what holds for all of them. */
export const OF_ORGANIZATIONS: readonly Mutant[] = [
  {
    id: "people-of-everything",
    breaks: "a viewer of one organization exports another's contacts",
    file: "src/operations/accounts/authenticate-session.ts",
    from: 'const limits = permission === "admin" ? undefined : found.organization_ids;',
    to: "const limits = undefined;",
    suites: [LIMITS],
  },
  {
    id: "limit-forgotten",
    breaks: "a key that is limited to organizations reads all of them",
    file: "src/operations/context.ts",
    from: "  const own = organizations === undefined ? ctx.db : ctx.tenantDb.limitedTo(organizations);",
    to: "  const own = organizations === undefined ? ctx.db : ctx.db;",
    suites: [LIMITS],
  },
  {
    id: "table-without-limit",
    breaks: "contacts are shown to the people of every organization",
    file: "src/store/migrations/0041-organizations.sql",
    from: "array['agents', 'contacts', 'lists', 'campaigns', 'imports', 'calls']",
    to: "array['agents', 'lists', 'campaigns', 'imports', 'calls']",
    suites: ["test/integration/accounts/organization-limits.test.ts", LIMITS],
  },
  {
    id: "limited-erasure",
    breaks: "an erasure by one organization's people takes the opt-out of a person that another one has too",
    file: "src/operations/contacts/delete-contact.ts",
    from: "return ctx.tenantDb.transaction(",
    to: "return ctx.db.transaction(",
    suites: [LIMITS],
  },
  {
    id: "replay-to-others",
    breaks: "an answer under an Idempotency-Key is returned to a key of another organization",
    file: "src/http/server/route.ts",
    from: 'caller.organizations === undefined ? "" :',
    to: 'caller.organizations === undefined || caller.keyId !== "" ? "" :',
    suites: [LIMITS],
  },
  {
    id: "events-of-all",
    breaks: "events of one organization are sent to the people of another",
    file: "src/operations/system/read-events.ts",
    from: "  if (organizations && !(event.organization_id && organizations.includes(event.organization_id))) return false;",
    to: "",
    suites: [LIMITS],
  },
  {
    id: "organizations-list-unheeded",
    breaks: "only what holds for all organizations counts of a do-not-call list",
    file: "src/store/sending/gate-facts.ts",
    from: "entry === NO_ID || entry === organizationId;",
    to: "entry === NO_ID;",
    suites: [SCREENING],
  },
  {
    id: "organizations-list-for-all",
    breaks: "one organization's do-not-call list keeps others back",
    file: "src/store/sending/gate-facts.ts",
    from: "organizationId === undefined || entry === NO_ID || entry === organizationId;",
    to: "organizationId !== undefined || entry === NO_ID;",
    suites: [SCREENING],
  },
];
