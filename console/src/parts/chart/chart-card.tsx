import { Box, Button, Group, Paper, ScrollArea, Table, Text, Title } from "@mantine/core";
import { type ReactNode, useId, useState } from "react";
import { saveCsv, type Table as Values } from "./series.ts";

/**
 * A chart with its title, the same values as a table, and as a file. The height is given, so that nothing moves when the
 * values come or the table is shown.
 *
 * @param table makes what the chart shows as a table, when it is asked for; a screen reader reads that instead of the picture
 */
export function ChartCard({
  title,
  about,
  table,
  height,
  children,
}: {
  title: string;
  about?: string | undefined;
  /** Undefined while it is being asked for. */
  table: (() => Values) | undefined;
  height: number;
  children: ReactNode;
}) {
  const id = useId();
  const [isTable, setTable] = useState(false);
  return (
    <Paper p="md" component="section" aria-labelledby={id} miw={0}>
      <Group justify="space-between" gap="xs" mb="xs" wrap="nowrap" align="flex-start">
        <Box miw={0}>
          <Title order={3} id={id}>
            {title}
          </Title>
          {about && (
            <Text size="xs" c="dimmed">
              {about}
            </Text>
          )}
        </Box>
        <Group gap={4} wrap="nowrap">
          <Button
            size="compact-xs"
            variant="subtle"
            aria-pressed={isTable}
            aria-label={`${title}: table`}
            disabled={table === undefined}
            onClick={() => setTable(!isTable)}
          >
            {isTable ? "Chart" : "Table"}
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`${title}: CSV`}
            disabled={table === undefined}
            onClick={() => table && saveCsv(title, table())}
          >
            CSV
          </Button>
        </Group>
      </Group>
      <Box h={height}>{isTable && table ? <ValueTable title={title} table={table()} height={height} /> : children}</Box>
    </Paper>
  );
}

function ValueTable({ title, table, height }: { title: string; table: Values; height: number }) {
  return (
    <ScrollArea
      h={height}
      type="auto"
      viewportProps={{ tabIndex: 0, role: "region", "aria-label": `${title}, values` }}
    >
      <Table fz="xs" stickyHeader withRowBorders={false} aria-label={title}>
        <Table.Thead>
          <Table.Tr>
            {table.head.map((name, i) => (
              <Table.Th key={name} ta={i === 0 ? "left" : "right"}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {table.rows.map(([name, ...values]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400}>
                {name}
              </Table.Th>
              {values.map((value, i) => (
                <Table.Td key={table.head[i + 1]} ta="right">
                  {value}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  );
}
