import { Button, CloseButton, FileButton, Group, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { sendFile } from "#api/client.ts";
import { messageOf } from "#api/error.ts";

/** As many as the API takes. */
export const MOST_PICTURES = 10;

/** The addresses without those that are still empty. */
export const givenPictures = (urls: readonly string[]): string[] =>
  urls.map((url) => url.trim()).filter((url) => url !== "");

/** A field for the address of each picture that is to go along, and what the API said of them. */
export function PictureAddresses({
  urls,
  onChange,
  problem,
  isOff = false,
}: {
  urls: readonly string[];
  onChange: (urls: readonly string[]) => void;
  problem: string | undefined;
  isOff?: boolean;
}) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const upload = async (file: File | null) => {
    if (file === null) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const { url } = await sendFile("POST /v1/media", file, {});
      onChange([...givenPictures(urls), url]);
    } catch (error) {
      setFailure(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {urls.map((url, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an address has no name but its place.
        <Group key={i} gap="xs" wrap="nowrap" mb="xs">
          <TextInput
            aria-label={`Address of picture ${i + 1}`}
            placeholder="https://"
            size="xs"
            flex={1}
            maxLength={2_000}
            value={url}
            onChange={(event) => onChange(urls.with(i, event.currentTarget.value))}
            disabled={isOff}
          />
          <CloseButton aria-label={`Without picture ${i + 1}`} onClick={() => onChange(urls.toSpliced(i, 1))} />
        </Group>
      ))}
      {urls.length > 0 && urls.length < MOST_PICTURES && (
        <FileButton onChange={(file) => void upload(file)} accept="image/jpeg,image/png,image/gif" disabled={isOff}>
          {(props) => (
            <Button {...props} variant="default" size="xs" mb="xs" loading={isBusy} disabled={isOff}>
              Upload a picture
            </Button>
          )}
        </FileButton>
      )}
      {failure && (
        <Text size="xs" c="red" role="alert" mb={4}>
          {failure}
        </Text>
      )}
      {problem && (
        <Text size="xs" c="red" role="alert" mb={4}>
          The address of a picture {problem}
        </Text>
      )}
    </>
  );
}
