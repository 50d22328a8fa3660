import { Button, FileButton, Group, Modal, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { useOrganization } from "#api/session.ts";
import { ServerForm } from "#parts/form/server-form.tsx";
import { whole } from "#parts/show/figures.tsx";
import { type Imported, useNumbersImport } from "./numbers-import.ts";
import { type Scope, ScopeSelect } from "./scope-select.tsx";

/** Lists many numbers: pasted, or a file as the national registry has it. */
export function ImportNumbers({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const [done, setDone] = useState<Imported>();
  const leave = () => {
    setDone(undefined);
    close();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={leave}
      title="Import numbers"
      size="lg"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {done ? <Result result={done} close={leave} /> : <Form close={leave} onDone={setDone} />}
    </Modal>
  );
}

function Form({ close, onDone }: { close: () => void; onDone: (result: Imported) => void }) {
  const { organization_id } = useOrganization();
  const send = useNumbersImport();
  const form = useForm({ initialValues: { file: "", reason: "", scope: "all" as Scope } });
  const lines = form.values.file.split(/\r\n|\n|\r/).filter((line) => line.trim() !== "").length;
  return (
    <ServerForm
      form={form}
      submit="Import"
      cancel={close}
      send={async ({ file, reason, scope }) => {
        const body = {
          file: firstColumn(file),
          ...(reason.trim() === "" ? {} : { reason: reason.trim() }),
          ...(scope === "this" ? { organization_id } : {}),
        };
        onDone(await send.mutateAsync({ body }));
      }}
    >
      <Textarea
        label="Numbers"
        description="One a line, in any form; or a file of the national registry (212,5550123). At most 100,000."
        autosize
        minRows={6}
        maxRows={12}
        data-autofocus
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        {...form.getInputProps("file")}
      />
      <Group gap="sm">
        <FileButton
          accept=".csv,.txt,text/csv,text/plain"
          onChange={async (file) => {
            if (file) form.setFieldValue("file", await file.text());
          }}
        >
          {(props) => (
            <Button variant="default" {...props}>
              Choose a file
            </Button>
          )}
        </FileButton>
        {lines > 0 && (
          <Text size="sm" c="dimmed" role="status">
            {whole(lines)} {lines === 1 ? "line" : "lines"}
          </Text>
        )}
      </Group>
      <TextInput {...form.getInputProps("reason")} maxLength={500} label="Reason" placeholder="Bought list" />
      <ScopeSelect value={form.values.scope} onChange={(scope) => form.setFieldValue("scope", scope)} />
    </ServerForm>
  );
}

const SHOWN_PROBLEMS = 20;

function Result({ result, close }: { result: Imported; close: () => void }) {
  return (
    <Stack>
      <Text role="status">
        {whole(result.count)} {result.count === 1 ? "number is" : "numbers are"} listed, {whole(result.added)} of them
        new.
      </Text>
      {result.invalid.length > 0 && (
        <>
          <Text size="sm">
            {whole(result.invalid.length)} {result.invalid.length === 1 ? "line" : "lines"} could not be read:
          </Text>
          <Stack component="ul" gap={2} m={0}>
            {result.invalid.slice(0, SHOWN_PROBLEMS).map(({ index, error }) => (
              <Text component="li" size="sm" key={index}>
                Line {whole(index + 1)}: {error}
              </Text>
            ))}
          </Stack>
        </>
      )}
      <Group justify="flex-end">
        <Button onClick={close}>Done</Button>
      </Group>
    </Stack>
  );
}

/** Our own export has a head, and more columns behind the number. The registry's `212,5550123` is left as it is. */
function firstColumn(text: string): string {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
  if (!/^"?phone_number"?\s*(,|$)/i.test(lines[0] ?? "")) return lines.join("\n");
  // The head's place stays, so that lines are counted as in the file.
  return ["", ...lines.slice(1).map((line) => line.split(",")[0]!.replaceAll('"', ""))].join("\n");
}
