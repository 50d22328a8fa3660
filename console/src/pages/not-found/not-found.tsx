import { LinkButton } from "#parts/form/link-button.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";

export function Component() {
  return (
    <EmptyState
      title="There is no such page"
      text="The address may be old, or what it named was deleted."
      action={<LinkButton to="/">Go home</LinkButton>}
    />
  );
}
