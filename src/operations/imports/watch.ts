import type { Uuid } from "#domain/values/id.ts";

/** Learns which row of which file is being read, so that whoever looks on knows what a thread stands still at. */
export type RowWatch = {
  /** An import begins. */
  begin(tenantId: Uuid, importId: Uuid): void;
  /** Its row of this number is being read; 0: none of them. */
  row(number: number): void;
};

export const NOBODY_LOOKS: RowWatch = { begin() {}, row() {} };
