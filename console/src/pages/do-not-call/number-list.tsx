import { Alert, Group, Stack } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { NumberSearch } from "#parts/form/number-search.tsx";
import { DetailDrawer } from "#parts/page/detail-drawer.tsx";
import { type Column, DataTable, type Rows } from "#parts/show/data-table.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";

/** Phone numbers in a table, to be found by a whole one, each with what is known of it in a drawer. */
export function NumberList<Row extends { phone_number: string }>({
  label,
  sought,
  seek,
  filter,
  list,
  columns,
  rowKey,
  empty,
  detail,
}: {
  label: string;
  sought: string | undefined;
  seek: (number: string | null) => void;
  /** Beside the search. */
  filter: ReactNode;
  list: Rows<Row>;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  empty: ReactNode;
  detail: (row: Row, close: () => void) => ReactNode;
}) {
  const [shown, setShown] = useState<Row>();
  const close = () => setShown(undefined);
  return (
    <Stack gap="md">
      <Group gap="sm">
        <NumberSearch value={sought} onChange={seek} />
        {filter}
      </Group>
      {list.error instanceof Error && list.rows.length === 0 && sought !== undefined ? (
        <Alert color="red" role="alert">
          {list.error.message}
        </Alert>
      ) : (
        <DataTable label={label} list={list} columns={columns} rowKey={rowKey} open={setShown} empty={empty} />
      )}
      <DetailDrawer title={shown ? formatPhone(shown.phone_number) : ""} isOpen={shown !== undefined} close={close}>
        {shown && detail(shown, close)}
      </DetailDrawer>
    </Stack>
  );
}
