import { Button, Text } from "@mantine/core";
import { useState } from "react";
import { messageOf } from "#api/error.ts";
import { IconFingerprint } from "#parts/icons/tabler.ts";
import { hasPasskeys, isCancelled } from "./passkey.ts";

/** What has the browser ask for a passkey. Not offered where the browser cannot. */
export function PasskeyButton({ label, run }: { label: string; run: () => Promise<unknown> }) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  if (!hasPasskeys()) return null;
  const press = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await run();
    } catch (error) {
      setFailure(isCancelled(error) ? "No passkey was used. Try again, or use another way." : wordsOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div>
      <Button fullWidth variant="default" leftSection={<IconFingerprint size={16} />} loading={isBusy} onClick={press}>
        {label}
      </Button>
      {failure && (
        <Text size="sm" c="red" role="alert" mt="xs">
          {failure}
        </Text>
      )}
    </div>
  );
}

/** The browser refuses a page whose address is not the one that passkeys are of. */
const wordsOf = (error: unknown): string =>
  error instanceof DOMException
    ? error.name === "InvalidStateError"
      ? "This device has a passkey of yours already."
      : "Passkeys work on the service's own address only: by https, or at localhost."
    : messageOf(error);
