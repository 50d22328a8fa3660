import { Button, FileButton, Group, Paper, SegmentedControl, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { pastedFile } from "#parts/contact-table/pasted.ts";
import { IconUpload } from "#parts/icons/tabler.ts";
import styles from "./lists.module.css";

/** Where the contacts come from: a file, or what is on the clipboard. */
export function Source({ take }: { take: (file: File) => void }) {
  const [kind, setKind] = useState("file");
  const [text, setText] = useState("");
  const [isOver, setOver] = useState(false);
  return (
    <Paper p={{ base: "md", xs: "xl" }} maw={880}>
      <Stack gap="lg">
        <SegmentedControl
          aria-label="Where the contacts come from"
          value={kind}
          onChange={setKind}
          data={[
            { value: "file", label: "A file" },
            { value: "paste", label: "Paste" },
          ]}
          w={{ base: "100%", xs: 240 }}
        />
        {kind === "file" ? (
          // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one way, the button in it another.
          <div
            className={styles.drop}
            data-over={isOver || undefined}
            onDragOver={(event) => {
              event.preventDefault();
              setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={(event) => {
              event.preventDefault();
              setOver(false);
              const [file] = event.dataTransfer.files;
              if (file) take(file);
            }}
          >
            <IconUpload size={28} stroke={1.5} aria-hidden />
            <Text>Drop a CSV file here</Text>
            <FileButton accept=".csv,.tsv,.txt,text/csv,text/plain" onChange={(file) => file && take(file)}>
              {(props) => <Button {...props}>Choose a file</Button>}
            </FileButton>
            <Text size="xs" c="dimmed" maw={460} ta="center">
              From Excel: File, Save as, “CSV UTF-8”. The first row names the columns; one of them is the phone number.
              A million rows are no problem.
            </Text>
          </div>
        ) : (
          <>
            <Textarea
              label="Contacts"
              description="Phone numbers, one a line, or cells copied from a spreadsheet with their first row."
              placeholder={"phone,first name,city\n(212) 555-0123,Ann,New York"}
              autosize
              minRows={8}
              maxRows={20}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            />
            <Group>
              <Button disabled={text.trim() === ""} onClick={() => take(pastedFile(text))}>
                Continue
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </Paper>
  );
}
