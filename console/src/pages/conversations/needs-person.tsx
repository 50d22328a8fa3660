import { Badge } from "@mantine/core";

/** Instead of the conversation's own state, which says nothing of who is to answer. */
export const NeedsPerson = () => (
  <Badge className="parley-tone" data-tone="wait" size="sm" miw="max-content">
    Needs a person
  </Badge>
);
