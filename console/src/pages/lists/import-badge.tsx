import { StatusBadge } from "#parts/show/status-badge.tsx";

/** The state of an import. */
export function ImportBadge({ state }: { state: string }) {
  return <StatusBadge of="import" state={state} />;
}
