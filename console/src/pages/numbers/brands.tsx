import { Badge } from "@mantine/core";
import type { Item } from "#api/operations.ts";
import { usePages } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import type { Column } from "#parts/show/data-table.tsx";
import { whole } from "#parts/show/figures.tsx";
import { ListWithDetail } from "#parts/show/list-with-detail.tsx";
import { Time } from "#parts/show/time.tsx";
import { BrandDetail } from "./brand-detail.tsx";
import { NumbersHead } from "./head.tsx";
import { type RegistryStatus, registryState } from "./registry-words.ts";

export type Brand = Item<"GET /v1/10dlc/brand">;

/** What the registry says of a brand or a 10DLC campaign. */
export function StatusOf({ status }: { status: RegistryStatus }) {
  const { label, tone } = registryState(status);
  return (
    <Badge className="parley-tone" data-tone={tone}>
      {label}
    </Badge>
  );
}

const nameOf = (brand: Brand): string => brand.displayName || brand.companyName || brand.brandId;

/** The companies for which texts are registered: how far each is, why it was refused, its budgets and today's use. */
export function Component() {
  const maySee = useCan("read", { tenantWide: true });
  const brands = usePages("GET /v1/10dlc/brand", "brands", maySee ? {} : undefined);
  return (
    <>
      <NumbersHead
        title="Brands and 10DLC"
        about="Texts from US numbers need a registered brand, and a registered campaign for what is texted."
      />
      {maySee ? (
        <ListWithDetail
          label="Brands"
          list={brands}
          columns={COLUMNS}
          rowKey={({ brandId }) => brandId}
          param="brand"
          title={nameOf}
          detail={(brand) => <BrandDetail brand={brand} />}
          empty={
            <EmptyState
              title="No brand yet"
              text="A brand is registered over the API: POST /v1/10dlc/brand. What the registry says shows up here."
              action={<LinkButton to="/developers/reference">Open the API reference</LinkButton>}
            />
          }
        />
      ) : (
        <EmptyState title="For admins" text="Brands are the whole tenant's, and shown to admins. Ask one of yours." />
      )}
    </>
  );
}

const COLUMNS: readonly Column<Brand>[] = [
  { key: "name", title: "Brand", width: "1.6fr", render: (brand) => <b>{nameOf(brand)}</b> },
  { key: "status", title: "Status", width: "8rem", render: ({ status }) => <StatusOf status={status} /> },
  {
    key: "score",
    title: "Vetting score",
    width: "8rem",
    isExtra: true,
    render: ({ score }) => (score === null ? "Not vetted" : `${score} of 100`),
  },
  {
    key: "budget",
    title: "Segments a day",
    width: "9rem",
    align: "right",
    render: (brand) => whole(brand.segments_per_day),
  },
  {
    key: "since",
    title: "Submitted",
    width: "8rem",
    align: "right",
    render: ({ created_at }) => <Time at={created_at} />,
  },
];
