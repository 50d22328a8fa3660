import type { Uuid } from "#domain/values/id.ts";

/** Is given the row that is being read, so that it is known on which row a blocked thread stopped. */
export type RowWatch = {
  /** An import begins. */
  begin(tenantId: Uuid, importId: Uuid): void;
  /** The row of this number is being read; 0: none. */
  row(number: number): void;
};

export const UNWATCHED_ROWS: RowWatch = { begin() {}, row() {} };
