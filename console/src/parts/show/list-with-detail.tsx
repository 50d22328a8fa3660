import type { ReactNode } from "react";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { DetailDrawer } from "#parts/page/detail-drawer.tsx";
import { type Column, DataTable, type Rows } from "./data-table.tsx";

/**
 * A list of which one row at a time is open in a drawer. Which one is in the URL: a link to the page opens it too.
 *
 * @param param the URL's parameter for the open row's key
 * @param title of the drawer
 */
export function ListWithDetail<Row>({
  label,
  list,
  columns,
  rowKey,
  param,
  empty,
  title,
  detail,
}: {
  label: string;
  list: Rows<Row>;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  param: string;
  empty: ReactNode;
  title: (row: Row) => string;
  detail: (row: Row, close: () => void) => ReactNode;
}) {
  const [{ [param]: opened }, setFilters] = useSearchFilters([param]);
  const row = list.rows.find((one) => rowKey(one) === opened);
  const close = () => setFilters({ [param]: null });
  return (
    <>
      <DataTable
        label={label}
        list={list}
        columns={columns}
        rowKey={rowKey}
        open={(one) => setFilters({ [param]: rowKey(one) })}
        empty={empty}
      />
      <DetailDrawer title={row && title(row)} isOpen={row !== undefined} close={close}>
        {row && detail(row, close)}
      </DetailDrawer>
    </>
  );
}
