import { Button, Group, Text } from "@mantine/core";
import { messageOf } from "#api/error.ts";
import { useSend } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { duration } from "./figures.tsx";

const TESTS = {
  model: { operation: "POST /v1/system/test-model", label: "Test the model" },
  carrier: { operation: "POST /v1/system/test-carrier", label: "Test the carrier" },
} as const;

const OUTCOMES = { passed: "It works.", failed: "It does not work.", not_tested: "Not tested." } as const;

/** A button that tries the language model or the carrier, and what came of it. Nothing reaches a real phone. */
export function SystemTest({ of }: { of: keyof typeof TESTS }) {
  const { operation, label } = TESTS[of];
  const isAdmin = useCan("admin");
  const run = useSend(operation, [], { isShown: true });
  const test = run.data?.test;
  return (
    <div>
      <Group gap="md">
        <Button
          variant="default"
          loading={run.isPending}
          disabled={!isAdmin}
          title={isAdmin ? undefined : "This is for admins"}
          onClick={() => run.mutate({ body: {} })}
        >
          {label}
        </Button>
        {test && (
          <Text size="xs" c="dimmed">
            {test.name ?? "nothing configured"}, {duration(test.ms)}
          </Text>
        )}
      </Group>
      <div aria-live="polite">
        {run.error && (
          <Text size="sm" mt="xs" c="red">
            {messageOf(run.error)}
          </Text>
        )}
        {test && (
          <Text size="sm" mt="xs">
            <Text span inherit fw={600} c={test.outcome === "failed" ? "red" : undefined}>
              {OUTCOMES[test.outcome]}
            </Text>{" "}
            {test.detail}
          </Text>
        )}
      </div>
    </div>
  );
}
