import {
  Alert,
  NumberInput,
  Paper,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  Title,
} from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { useNavigate, useSearchParams } from "react-router";
import { useAnswer, useSend } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { ServerForm } from "#parts/form/server-form.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import {
  bodyOf,
  changeOf,
  missing,
  NUMBER,
  SECTIONS,
  type TollFreeField,
  type TollFreeValues,
  type Verification,
  valuesOf,
} from "./toll-free-fields.ts";

const BACK = { to: "/numbers/toll-free", label: "Toll-free" };
const LIST = "GET /v1/toll-free/verifications";

/** Requests the verification of a toll-free number, or corrects a refused one: `?number=`. */
export function Component() {
  const mayWrite = useCan("write", { tenantWide: true });
  const [search] = useSearchParams();
  const number = search.get("number");
  const title = number === null ? "Request a verification" : "Correct a verification";
  return (
    <>
      <PageHeader
        title={title}
        back={BACK}
        about="The carrier reads every word of it, and decides in days to weeks whether texts from the number pass."
      />
      {!mayWrite ? (
        <EmptyState title="For admins" text="Verifications are the whole tenant's. Ask one of its admins." />
      ) : number === null ? (
        <Form old={undefined} />
      ) : (
        <Correction number={number} />
      )}
    </>
  );
}

function Correction({ number }: { number: string }) {
  const { data, error, refetch } = useAnswer("GET /v1/toll-free/verifications/:phone_number", {
    params: { phone_number: number },
  });
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={400} maw={720} />;
  if (data.status === "REJECTED") return <Form key={data.phone_number} old={data} />;
  return (
    <EmptyState
      title={data.status === "VERIFIED" ? "It is verified" : "It is in review"}
      text={`Only a refused verification is corrected, and that of ${formatPhone(data.phone_number)} is none.`}
    />
  );
}

function Form({ old }: { old: Verification | undefined }) {
  const navigate = useNavigate();
  const create = useSend("POST /v1/toll-free/verifications", [LIST], { isShown: true });
  const resubmit = useSend("POST /v1/toll-free/verifications/:phone_number/resubmit", [LIST], { isShown: true });
  const form = useForm<TollFreeValues>({ initialValues: valuesOf(old), validate: (values) => missing(values, old) });
  return (
    <Paper p={{ base: "md", xs: "xl" }} maw={720}>
      <ServerForm
        form={form}
        submit={old ? "Send it again" : "Request the verification"}
        cancel={() => void navigate(BACK.to)}
        fieldOf={(name) => name.split(".")[0]!}
        send={async (values) => {
          const { phone_number } = old
            ? await resubmit.mutateAsync({
                params: { phone_number: old.phone_number },
                body: changeOf(values, old),
              })
            : await create.mutateAsync({ body: bodyOf(values) });
          await navigate(`${BACK.to}?number=${encodeURIComponent(phone_number)}`);
        }}
      >
        {old ? (
          <Alert color="red" title={`Why ${formatPhone(old.phone_number)} was refused`}>
            {old.reasons.length === 0 ? (
              <Text size="sm">The carrier does not say why.</Text>
            ) : (
              old.reasons.map((reason) => (
                <Text key={reason} size="sm">
                  {reason}
                </Text>
              ))
            )}
          </Alert>
        ) : (
          <FieldOf field={NUMBER} form={form} />
        )}
        {SECTIONS.map(({ title, fields }) => (
          <Stack key={title} component="section" aria-label={title} gap="sm" mt="md">
            <Title order={2} size="h3">
              {title}
            </Title>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
              {fields.map((field) => (
                <FieldOf key={field.name} field={field} form={form} />
              ))}
            </SimpleGrid>
          </Stack>
        ))}
      </ServerForm>
    </Paper>
  );
}

const WHOLE_LINE = { gridColumn: "1 / -1" };

function FieldOf({ field, form }: { field: TollFreeField; form: UseFormReturnType<TollFreeValues> }) {
  const { name, label, description, wish, as, type } = field;
  const common = { label, description, required: wish !== undefined };
  const input = form.getInputProps(name);
  if (as === "switch") {
    return <Switch label={label} style={WHOLE_LINE} {...form.getInputProps(name, { type: "checkbox" })} />;
  }
  if (as === "long") return <Textarea {...common} autosize minRows={2} style={WHOLE_LINE} {...input} />;
  if (as === "pages") return <TagsInput {...common} acceptValueOnBlur maxTags={5} {...input} />;
  if (as === "count") return <NumberInput {...common} min={1} allowDecimal={false} thousandSeparator="," {...input} />;
  if (as) return <Select {...common} data={as} allowDeselect={false} {...input} />;
  return <TextInput {...common} {...(type && { type })} {...input} />;
}
