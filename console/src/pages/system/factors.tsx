import { Badge, Button, Group, Modal, Paper, Skeleton, Stack, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "#api/client.ts";
import type { Answer } from "#api/operations.ts";
import { useAnswer } from "#api/query.ts";
import { keepSession, type Session, useSession } from "#api/session.ts";
import { AddFactor, RecoveryCodes } from "#parts/form/add-factor.tsx";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { ProveForm } from "#parts/form/prove-form.tsx";
import { ServerForm } from "#parts/form/server-form.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { realNow, Time } from "#parts/show/time.tsx";

type Factor = Answer<"GET /v1/factors">["factors"][number];

const KINDS = { totp: "App for codes", passkey: "Passkey" } as const;

/** One's own second factors and recovery codes. What changes them asks first who one is. */
export function Factors() {
  const client = useQueryClient();
  const session = useSession();
  const answer = useAnswer("GET /v1/factors", {});
  const [isOpen, setOpen] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>();
  const again = async (changed?: Session) => {
    if (changed) keepSession(client, changed);
    await Promise.all([
      client.invalidateQueries({ queryKey: ["GET /v1/factors"] }),
      client.invalidateQueries({ queryKey: ["GET /v1/sessions"] }),
    ]);
  };
  if (answer.error) return <ErrorState error={answer.error} retry={() => void answer.refetch()} />;
  if (answer.isPending) return <Skeleton h={120} />;
  const { factors, recovery_codes_left, is_required, proof_until } = answer.data;
  const isProved = proof_until !== null && Date.parse(proof_until) > realNow();
  return (
    <Paper p="lg" component="section" aria-label="Second factor" maw={640}>
      <Group justify="space-between" mb="xs">
        <Title order={2}>Second factor</Title>
        {is_required && <Badge className="parley-tone">Required here</Badge>}
      </Group>
      <Text size="sm" c="dimmed" mb="md">
        {factors.length === 0
          ? "None yet. With one, whoever learns your password still cannot sign in as you."
          : `Asked for at each sign-in. ${recovery_codes_left} recovery codes are left.`}
      </Text>
      <Stack component="ul" gap="xs" m={0} mb="md" p={0} style={{ listStyle: "none" }}>
        {factors.map((factor) => (
          <FactorRow key={factor.factor_id} factor={factor} isProved={isProved} changed={again} />
        ))}
      </Stack>
      {isProved ? (
        <Group>
          <Button onClick={() => setOpen(true)}>Add a factor</Button>
          {factors.length > 0 && (
            <ConfirmButton
              title="Make new recovery codes?"
              text="Those that you have kept will count no more."
              confirm="Make new codes"
              color="pine"
              onConfirm={async () => {
                setCodes((await call("POST /v1/factors/recovery-codes")).recovery_codes);
                await again();
              }}
            >
              New recovery codes
            </ConfirmButton>
          )}
        </Group>
      ) : (
        <Stack gap="xs">
          <Text size="sm">To change how you sign in, show first that it is you.</Text>
          <ProveForm session={session} done={again} />
        </Stack>
      )}
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Add a factor">
        <AddFactor
          added={async ({ session: changed, codes: fresh }) => {
            setOpen(false);
            if (fresh) setCodes(fresh);
            await again(changed);
          }}
        />
      </Modal>
      <Modal
        opened={codes !== undefined}
        onClose={() => setCodes(undefined)}
        title="Recovery codes"
        closeOnClickOutside={false}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <RecoveryCodes codes={codes ?? []} done={() => setCodes(undefined)} />
      </Modal>
    </Paper>
  );
}

function FactorRow({
  factor,
  isProved,
  changed,
}: {
  factor: Factor;
  isProved: boolean;
  changed: () => Promise<unknown>;
}) {
  const [isNaming, setNaming] = useState(false);
  const form = useForm({ initialValues: { name: factor.name } });
  const params = { factor_id: factor.factor_id };
  return (
    <Group component="li" justify="space-between" wrap="nowrap">
      <div>
        <Text size="sm">{factor.name}</Text>
        <Text size="xs" c="dimmed">
          {KINDS[factor.kind]}, added <Time at={factor.created_at} isReal />
          {factor.last_used_at && (
            <>
              , last used <Time at={factor.last_used_at} isReal />
            </>
          )}
        </Text>
      </div>
      <Group gap="xs" wrap="nowrap">
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => setNaming(true)}
          aria-label={`Rename ${factor.name}`}
        >
          Rename
        </Button>
        {isProved && (
          <ConfirmButton
            size="compact-sm"
            aria-label={`Remove ${factor.name}`}
            title={`Remove ${factor.name}?`}
            text="You are signed out everywhere else."
            confirm="Remove"
            onConfirm={async () => {
              await call("DELETE /v1/factors/:factor_id", { params });
              await changed();
            }}
          >
            Remove
          </ConfirmButton>
        )}
      </Group>
      <Modal opened={isNaming} onClose={() => setNaming(false)} title="Rename">
        <ServerForm
          form={form}
          submit="Save"
          cancel={() => setNaming(false)}
          send={async (body) => {
            await call("PATCH /v1/factors/:factor_id", { params, body });
            setNaming(false);
            await changed();
          }}
        >
          <TextInput label="Name" required {...form.getInputProps("name")} />
        </ServerForm>
      </Modal>
    </Group>
  );
}
