import { Modal, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { call, onProofNeeded } from "#api/client.ts";
import { keepSession, type Session } from "#api/session.ts";

/** Asked for seldom, so that no page loads its fields. */
const ProveForm = lazy(async () => ({ default: (await import("#parts/form/prove-form.tsx")).ProveForm }));

type Asked = { session: Session; end: (isProved: boolean) => void };

/** Asks over any page who somebody is, where the API wants to know before it does what was asked; then that goes on. */
export function ProofDialog() {
  const client = useQueryClient();
  const [asked, setAsked] = useState<Asked>();
  useEffect(
    () =>
      onProofNeeded(async () => {
        // What can be shown may have changed since the session was read.
        const { session } = await call("GET /v1/session");
        return new Promise((resolve) =>
          setAsked({
            session,
            end: (isProved) => {
              setAsked(undefined);
              resolve(isProved);
            },
          }),
        );
      }),
    [],
  );
  return (
    <Modal
      opened={asked !== undefined}
      onClose={() => asked?.end(false)}
      title="Is it you?"
      closeOnClickOutside={false}
      // Over whatever asked for it.
      zIndex={300}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Text size="sm" mb="md">
        It is a while since you showed who you are, and this decides who may come in. Then it goes on by itself. Signing
        out and in again counts as well.
      </Text>
      {asked && (
        <Suspense>
          <ProveForm
            session={asked.session}
            done={async (session) => {
              keepSession(client, session);
              asked.end(true);
            }}
          />
        </Suspense>
      )}
    </Modal>
  );
}
