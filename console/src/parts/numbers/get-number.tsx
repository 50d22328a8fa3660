import { Button, Modal, Stack } from "@mantine/core";
import { useState } from "react";
import { useCan } from "#api/session.ts";
import { NumberOffer } from "./number-offer.tsx";
import { TypedFilter } from "./typed-filter.tsx";

/** A button that gets the organization a number without leaving the page. `first` is the area code that is looked in first. */
export function GetNumber({ first = "212", onTaken }: { first?: string; onTaken: (phoneNumber: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const [areaCode, setAreaCode] = useState(first);
  const [contains, setContains] = useState("");
  const mayWrite = useCan("write");
  return (
    <>
      <Button
        variant="default"
        disabled={!mayWrite}
        title={mayWrite ? undefined : "Your permission does not include getting numbers"}
        onClick={() => setOpen(true)}
      >
        Get a number
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Get a number">
        <Stack>
          <TypedFilter
            label="Area code"
            placeholder="Area code, as 212"
            inputMode="numeric"
            value={areaCode}
            onChange={(text) => setAreaCode(text.replace(/\D/g, "").slice(0, 3))}
          />
          {areaCode.length === 3 && (
            <NumberOffer
              key={areaCode}
              areaCode={areaCode}
              contains={contains}
              setContains={setContains}
              onTaken={(number) => {
                setOpen(false);
                onTaken(number);
              }}
            />
          )}
        </Stack>
      </Modal>
    </>
  );
}
