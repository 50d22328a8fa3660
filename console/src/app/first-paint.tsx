import { Center, Loader } from "@mantine/core";

/** Until the first page has come. */
export function FirstPaint() {
  return (
    <Center h="100dvh">
      <Loader size="sm" aria-label="Loading" />
    </Center>
  );
}
