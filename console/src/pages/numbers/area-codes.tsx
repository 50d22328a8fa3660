import { Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import type { Answer } from "#api/operations.ts";
import { useAnswer } from "#api/query.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import classes from "./numbers.module.css";

type State = Answer<"GET /v1/10dlc/phone-numbers/area-codes/states">["states"][number];

const TYPED_MS = 300;
/** The API looks for whole names of cities: shorter ones are a state's letters. */
const CITY_LETTERS = 3;
const CITY_ENTRIES = "200";
const COUNTRIES = [
  { country: "US", name: "United States" },
  { country: "CA", name: "Canada" },
];

/** Every area code by state: those that a search for digits, a state or a city leaves. */
export function AreaCodes({
  search,
  chosen,
  choose,
}: {
  search: string;
  chosen: string | undefined;
  choose: (areaCode: string) => void;
}) {
  const answer = useAnswer("GET /v1/10dlc/phone-numbers/area-codes/states", {});
  const wanted = search.trim();
  const [typed] = useDebouncedValue(wanted, TYPED_MS);
  const isCity = /^\D+$/.test(typed) && typed.length >= CITY_LETTERS;
  const cities = useAnswer(
    "GET /v1/10dlc/phone-numbers/area-codes",
    isCity ? { query: { city: typed, limit: CITY_ENTRIES } } : undefined,
  );
  if (answer.error) return <ErrorState error={answer.error} retry={() => void answer.refetch()} />;
  if (answer.data === undefined) return <Skeleton h={420} />;
  const inCities = wanted === typed && isCity ? (cities.data?.area_codes ?? []) : [];
  const states = answer.data.states.flatMap((state) => left(state, wanted, inCities));
  if (states.length === 0) {
    return (
      <EmptyState
        title="No matching area codes"
        text="Try three digits, the name of a state or province, or the whole name of a city."
      />
    );
  }
  return (
    <Stack gap="lg">
      {COUNTRIES.map(({ country, name }) => {
        const theirs = states.filter((state) => state.country === country);
        return (
          theirs.length > 0 && (
            <div key={country}>
              <Title order={2} mb="xs">
                {name}
              </Title>
              <div className={classes.states}>
                {theirs.map((state) => (
                  <div key={state.state} className={classes.state}>
                    <Text size="xs" c="dimmed" fw={550} mb={4}>
                      {state.name}
                    </Text>
                    <Group gap={4} role="group" aria-label={state.name}>
                      {state.area_codes.map((code) => (
                        <Button
                          key={code}
                          size="compact-xs"
                          variant={code === chosen ? "filled" : "default"}
                          aria-pressed={code === chosen}
                          onClick={() => choose(code)}
                        >
                          {code}
                        </Button>
                      ))}
                    </Group>
                  </div>
                ))}
              </div>
            </div>
          )
        );
      })}
    </Stack>
  );
}

/** A state with those of its codes that are wanted; nothing where there are none. */
function left(state: State, wanted: string, cities: readonly { areaCode: string; state: string }[]): State[] {
  const fold = (text: string) => text.toLowerCase();
  const isAll = wanted === "" || fold(state.name).startsWith(fold(wanted)) || fold(state.state) === fold(wanted);
  if (isAll) return [state];
  const codes = state.area_codes.filter(
    (code) => code.startsWith(wanted) || cities.some((city) => city.areaCode === code && city.state === state.state),
  );
  return codes.length === 0 ? [] : [{ ...state, area_codes: codes }];
}
