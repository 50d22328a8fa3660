import { Paper, Text } from "@mantine/core";
import { whole } from "#parts/show/figures.tsx";

/** What 2.03E+09 in the place of a phone number is, and how to have the number instead. */
export function ExcelHint({ count }: { count: number }) {
  return (
    <Paper className="parley-tone" data-tone="wait" withBorder={false} p="md" role="note" maw={880}>
      <Text size="sm" fw={600} mb={4}>
        Excel has rounded phone numbers
      </Text>
      <Text size="sm">
        {count === 1 ? "One phone number looks" : `${whole(count)} phone numbers look`} like 2.03E+09. Excel took the
        number for a sum, showed it rounded, and saved what it showed: the last digits are gone from this file, so
        nobody can be reached by it. Open the original workbook, not the CSV file. Mark the column, choose Format cells,
        Number, with 0 decimal places, and save as CSV again. The numbers then read 2035550123.
      </Text>
    </Paper>
  );
}
