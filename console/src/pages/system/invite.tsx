import { Modal, Select, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { call } from "#api/client.ts";
import { useOrganization } from "#api/session.ts";
import { ServerForm } from "#parts/form/server-form.tsx";
import { ShownOnce } from "#parts/form/shown-once.tsx";
import { Time } from "#parts/show/time.tsx";
import { PERMISSIONS } from "./permissions.ts";

export type Link = { url: string; until: string; email: string };

type Permission = (typeof PERMISSIONS)[number]["value"];

/** Makes a user of the organization, and the link by which the user sets a password. */
export function Invite({ isOpen, close, done }: { isOpen: boolean; close: () => void; done: (link: Link) => void }) {
  const { organization_id, organization_name } = useOrganization();
  const client = useQueryClient();
  const form = useForm({ initialValues: { name: "", email: "", permission: "manager" as Permission } });
  return (
    <Modal opened={isOpen} onClose={close} title="Invite somebody" closeButtonProps={{ "aria-label": "Close" }}>
      <ServerForm
        form={form}
        submit="Make the invitation"
        cancel={close}
        send={async (body) => {
          const user = await call("POST /v1/organizations/:org_id/users", {
            params: { org_id: organization_id },
            body,
          });
          const { invitation_url, expires_at } = await call("POST /v1/users/:user_id/invitation", {
            params: { user_id: user.unique_id },
          });
          if (invitation_url !== null) done({ url: invitation_url, until: expires_at, email: body.email });
          await client.invalidateQueries({ queryKey: ["GET /v1/users"] });
          form.reset();
          close();
        }}
      >
        <Text size="sm" c="dimmed">
          Somebody of {organization_name}. You get a link to send on: Parley itself sends no e-mail.
        </Text>
        <TextInput label="Name" required data-autofocus {...form.getInputProps("name")} />
        <TextInput label="E-mail" type="email" required {...form.getInputProps("email")} />
        <Select
          label="Role"
          data={PERMISSIONS.map(({ value, label, about }) => ({ value, label: `${label}: ${about}` }))}
          allowDeselect={false}
          {...form.getInputProps("permission")}
        />
      </ServerForm>
    </Modal>
  );
}

/** The link, which is shown once. */
export function InvitationLink({ link, close }: { link: Link | undefined; close: () => void }) {
  return (
    <ShownOnce title="Send this link on" secret={link?.url} copy="Copy the link" close={close}>
      {link && (
        <Text size="sm">
          Whoever opens it sets the password of {link.email}. It works once, and ends <Time at={link.until} isReal />.
        </Text>
      )}
    </ShownOnce>
  );
}
