import { phonesIn, plainPhonesIn, type ReadRow, readRow } from "#domain/contacts/import-row.ts";
import type { Lead } from "#domain/contacts/lead.ts";
import { importOf, importTask, SET_ASIDE_AFTER, type WatchedTask } from "#domain/system/watched-task.ts";
import type { Uuid } from "#domain/values/id.ts";
import { storable } from "#domain/values/storable.ts";
import type { TableRow } from "#ports/uploads.ts";
import type { Import, NewRowError } from "#store/contacts/imports.ts";
import type { StuckTask } from "#store/system/stuck-tasks.ts";
import type { RowWatch } from "./watch.ts";

export type ReadRows = { leads: Lead[]; errors: NewRowError[] };

export type RowReader = {
  /** The file is not to be read at all. */
  isFileSetAside: boolean;
  isSetAside(row: number): boolean;
  read(rows: readonly TableRow[]): ReadRows;
  /** Tasks that have blocked a process before and ran well this time. */
  cleared(): WatchedTask[];
};

/** Reads rows of an import. Rows that have blocked two processes are not read again. */
export function rowReader(
  tenantId: Uuid,
  { id, columns }: Pick<Import, "id" | "columns">,
  stuck: readonly StuckTask[],
  watch: RowWatch,
): RowReader {
  const times = new Map(stuck.map((task) => [importOf(task)!.row, task.times]));
  const isSetAside = (row: number) => (times.get(row) ?? 0) >= SET_ASIDE_AFTER;
  watch.begin(tenantId, id);
  return {
    isFileSetAside: isSetAside(0),
    isSetAside,
    cleared: () => [...times.keys()].filter((row) => !isSetAside(row)).map((row) => importTask(tenantId, id, row)),
    read(rows) {
      const [leads, errors]: [Lead[], NewRowError[]] = [[], []];
      for (const { number, cells } of rows) {
        if (isSetAside(number)) {
          errors.push(setAside(number, cells));
          continue;
        }
        watch.row(number);
        const read: ReadRow = readRow(cells, columns);
        if ("problem" in read) errors.push(failed(number, cells, read));
        else if ("phone" in read) leads.push({ index: number, phone: read.phone, fields: read.fields });
      }
      watch.row(0);
      return { leads, errors };
    },
  };
}

function failed(
  row: number,
  cells: readonly string[],
  { problem, phone }: Extract<ReadRow, { problem: string }>,
): NewRowError {
  const shown = shownCells(cells.slice(0, MAX_SHOWN_CELLS).map((cell) => cell.slice(0, MAX_SHOWN_CELL)));
  return { row, reason: problem, cells: shown, phone, phones: phonesIn(shown) };
}

/** With all of its cells, since it may be read again. */
const setAside = (row: number, cells: readonly string[]): NewRowError => ({
  row,
  reason: "has held two processes that read it, and was set aside",
  cells: shownCells(cells),
  phone: null,
  phones: plainPhonesIn(cells),
});

/** As much of a row as is stored beside its error. */
const MAX_SHOWN_CELL = 1_000;
const MAX_SHOWN_CELLS = 200;
/** What cannot be stored is to be seen in the report. */
const shownCells = (cells: readonly string[]): string[] => cells.map((cell) => storable(cell, "\ufffd"));
