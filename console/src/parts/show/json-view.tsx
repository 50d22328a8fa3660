import { Box, Code } from "@mantine/core";
import { CopyButton } from "#parts/form/copy-button.tsx";

/** JSON as it is, indented, with a button that copies it. */
export function JsonView({ value, maxHeight = 400 }: { value: unknown; maxHeight?: number }) {
  const text = JSON.stringify(value, null, 2) ?? "undefined";
  return (
    <Box pos="relative">
      <Code block mah={maxHeight} style={{ overflow: "auto" }} tabIndex={0} aria-label="JSON">
        {text}
      </Code>
      <Box pos="absolute" top={6} right={6}>
        <CopyButton text={text} name="JSON" />
      </Box>
    </Box>
  );
}
