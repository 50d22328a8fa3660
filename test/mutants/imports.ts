import type { Mutant } from "./mutant.ts";

const READ_ROWS = "src/operations/imports/read-rows.ts";
const IMPORTS = "test/integration/contacts/imports.test.ts";

/** Rows of an import that were set aside. */
export const OF_IMPORTS: readonly Mutant[] = [
  {
    id: "set-aside-row-read-again",
    breaks: "a row that has held two processes is read again, and holds the next: its import never ends",
    file: READ_ROWS,
    from: "if (isSetAside(number)) {",
    to: "if (isSetAside(-number)) {",
    suites: [IMPORTS],
  },
  {
    id: "set-aside-row-not-erased",
    breaks: "a row that was set aside outlives the erasure of the contact whose number stands in it",
    file: READ_ROWS,
    from: "phones: plainPhonesIn(cells),",
    to: "phones: [],",
    suites: [IMPORTS],
  },
];
