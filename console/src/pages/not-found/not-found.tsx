import { EmptyState } from "#parts/empty-state.tsx";
import { LinkButton } from "#parts/link-button.tsx";

export function Component() {
  return (
    <EmptyState
      title="There is no such page"
      text="The address may be old, or what it named was deleted."
      action={<LinkButton to="/">Go home</LinkButton>}
    />
  );
}
