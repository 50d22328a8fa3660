import { Button, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { call } from "#api/client.ts";
import { messageOf } from "#api/error.ts";
import { useAnswer } from "#api/query.ts";
import { IconBuilding } from "#parts/icons/tabler.ts";
import { keepNext } from "./next-page.ts";

/** Until a typed address is taken for whole. */
const TYPED_MS = 300;

/**
 * Leads to the identity providers that sign in addresses as this one, or to the one of a link. There is nothing where there is none: the domain decides,
 * so that it says of nobody whether there is an account.
 */
export function SignOnButtons({
  email,
  providerId,
  next,
}: {
  email: string;
  providerId: string | undefined;
  next: string;
}) {
  const [typed] = useDebouncedValue(email, TYPED_MS);
  const domain = domainOf(typed);
  const ofLink = useAnswer("GET /v1/session/oidc", providerId ? { query: { provider_id: providerId } } : undefined);
  const ofDomain = useAnswer("GET /v1/session/oidc", domain ? { query: { domain } } : undefined);
  const [going, setGoing] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const linked = ofLink.data?.providers ?? [];
  const others = (ofDomain.data?.providers ?? []).filter(({ provider_id }) => provider_id !== providerId);

  const go = async (provider_id: string) => {
    setGoing(provider_id);
    setFailure(undefined);
    keepNext(next);
    const hint = domainOf(email) === undefined ? {} : { email: email.trim() };
    try {
      location.assign((await call("POST /v1/session/oidc", { body: { provider_id, ...hint } })).authorization_url);
    } catch (error) {
      setFailure(messageOf(error));
      setGoing(undefined);
    }
  };

  if (linked.length + others.length === 0) return null;
  return (
    <Stack gap="sm" aria-live="polite">
      {[...linked, ...others].map(({ provider_id, name }) => (
        <Button
          key={provider_id}
          fullWidth
          variant="default"
          leftSection={<IconBuilding size={16} />}
          loading={going === provider_id}
          disabled={going !== undefined && going !== provider_id}
          onClick={() => void go(provider_id)}
        >
          Sign in with {name}
        </Button>
      ))}
      {failure && (
        <Text size="sm" c="red" role="alert">
          {failure}
        </Text>
      )}
    </Stack>
  );
}

/** Undefined while it is none yet. */
const domainOf = (email: string): string | undefined => /^[^\s@]+@([^\s@.]+(?:\.[^\s@.]+)+)$/.exec(email.trim())?.[1];
