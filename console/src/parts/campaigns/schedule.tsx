import { Checkbox, Chip, Group, Input, Radio, Stack, TextInput } from "@mantine/core";

/** When a campaign runs. Times of day are in each recipient's own zone, moments in the viewer's. */
export type Schedule = {
  isLater: boolean;
  /** As `<input type="datetime-local">` has them; empty where none is set. */
  begin: string;
  end: string;
  hasWindow: boolean;
  from: string;
  until: string;
  /** 1 is Monday. */
  days: number[];
};

export const AT_ONCE: Schedule = {
  isLater: false,
  begin: "",
  end: "",
  hasWindow: false,
  from: "09:00",
  until: "20:00",
  days: [1, 2, 3, 4, 5],
};

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

type ScheduleBody = {
  campaign_begin_time?: string;
  campaign_end_time?: string;
  calling_window?: { start: string; end: string; days: number[] };
};

/** The API's fields of a schedule. */
export function scheduleBody(schedule: Schedule): ScheduleBody {
  return {
    ...(schedule.isLater && schedule.begin !== "" ? { campaign_begin_time: instant(schedule.begin) } : {}),
    ...(schedule.end !== "" ? { campaign_end_time: instant(schedule.end) } : {}),
    ...(schedule.hasWindow
      ? { calling_window: { start: schedule.from, end: schedule.until, days: schedule.days } }
      : {}),
  };
}

/** A moment as `<input type="datetime-local">` has it, in the viewer's zone; empty for none. */
export function localOf(moment: string | null): string {
  if (moment === null) return "";
  const date = new Date(moment);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The moment of such a field. What is none is for the API to name. */
export const instant = (local: string): string => {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? local : date.toISOString();
};

/** What `scheduleBody` made, back as fields: for a copy of a campaign. Moments are left out: they have passed. */
export function scheduleOf(window: { start: string; end: string; days: number[] } | null): Schedule {
  if (window === null) return AT_ONCE;
  return { ...AT_ONCE, hasWindow: true, from: window.start, until: window.end, days: window.days };
}

/** "Mon to Fri, 09:00 to 20:00" of a window. */
export function windowInWords({ start, end, days }: { start: string; end: string; days: number[] }): string {
  const sorted = [...days].sort((a, b) => a - b);
  const isRun = sorted.length > 2 && sorted.at(-1)! - sorted[0]! === sorted.length - 1;
  const names =
    sorted.length === 7
      ? "Every day"
      : isRun
        ? `${DAYS[sorted[0]! - 1]} to ${DAYS[sorted.at(-1)! - 1]}`
        : sorted.map((day) => DAYS[day - 1]).join(", ");
  return `${names}, ${start} to ${end}`;
}

/** Fields of a schedule. `errors` are the API's own, by the API's names; `verb` is what is done: "Texts", "Calls". */
export function ScheduleFields({
  value,
  onChange,
  errors,
  verb,
}: {
  value: Schedule;
  onChange: (value: Schedule) => void;
  errors: Readonly<Record<string, string>>;
  verb: string;
}) {
  const set = (some: Partial<Schedule>) => onChange({ ...value, ...some });
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Stack gap="lg">
      <Radio.Group
        label="Begin"
        value={value.isLater ? "later" : "now"}
        onChange={(choice) => set({ isLater: choice === "later" })}
      >
        <Group mt="xs" gap="lg">
          <Radio value="now" label="As soon as it is launched" />
          <Radio value="later" label="At a time" />
        </Group>
      </Radio.Group>
      <Group align="flex-start" gap="md" grow maw={560} preventGrowOverflow={false}>
        {value.isLater && (
          <TextInput
            type="datetime-local"
            label="Begin at"
            description={`In your zone, ${zone}`}
            value={value.begin}
            onChange={(event) => set({ begin: event.currentTarget.value })}
            error={errors.campaign_begin_time}
          />
        )}
        <TextInput
          type="datetime-local"
          label="End at"
          description="Whoever has not been reached by then is skipped. Optional."
          value={value.end}
          onChange={(event) => set({ end: event.currentTarget.value })}
          error={errors.campaign_end_time}
        />
      </Group>
      <WindowFields value={value} onChange={set} errors={errors} verb={verb} />
    </Stack>
  );
}

type Window = Pick<Schedule, "hasWindow" | "from" | "until" | "days">;

/** The hours and days of a schedule, by the same names as `ScheduleFields`. */
export function WindowFields({
  value,
  onChange,
  errors,
  verb,
}: {
  value: Window;
  onChange: (some: Partial<Window>) => void;
  errors: Readonly<Record<string, string>>;
  verb: string;
}) {
  return (
    <Stack gap="sm">
      <Checkbox
        label="Only at certain hours"
        description={`${verb} always keep to what the law allows where the recipient is. These hours narrow it further, in the recipient's own zone.`}
        checked={value.hasWindow}
        onChange={(event) => onChange({ hasWindow: event.currentTarget.checked })}
      />
      {value.hasWindow && (
        <Stack gap="sm" pl={{ base: 0, xs: 28 }}>
          <Group gap="md">
            <TextInput
              type="time"
              label="From"
              value={value.from}
              onChange={(event) => onChange({ from: event.currentTarget.value })}
              error={errors["calling_window.start"]}
            />
            <TextInput
              type="time"
              label="Until"
              value={value.until}
              onChange={(event) => onChange({ until: event.currentTarget.value })}
              error={errors["calling_window.end"]}
            />
          </Group>
          <Input.Wrapper label="Days" error={errors["calling_window.days"]} labelElement="div">
            <Chip.Group
              multiple
              value={value.days.map(String)}
              onChange={(days) => onChange({ days: days.map(Number).sort((a, b) => a - b) })}
            >
              <Group gap="xs" mt={4} role="group" aria-label="Days">
                {DAYS.map((day, i) => (
                  <Chip key={day} value={String(i + 1)} size="sm">
                    {day}
                  </Chip>
                ))}
              </Group>
            </Chip.Group>
          </Input.Wrapper>
        </Stack>
      )}
    </Stack>
  );
}
