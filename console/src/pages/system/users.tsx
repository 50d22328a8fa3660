import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { messageOf } from "#api/error.ts";
import type { Item } from "#api/operations.ts";
import { usePages, useSend } from "#api/query.ts";
import { useCan, useSession } from "#api/session.ts";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { LinkButton } from "#parts/form/link-button.tsx";
import { OrganizationsSelect } from "#parts/form/organizations-select.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import type { Column } from "#parts/show/data-table.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { ListWithDetail } from "#parts/show/list-with-detail.tsx";
import { realNow, Time } from "#parts/show/time.tsx";
import { SystemHead } from "./head.tsx";
import { InvitationLink, Invite, type Link } from "./invite.tsx";
import { PERMISSIONS, permissionLabel } from "./permissions.ts";
import { Roles } from "./roles.tsx";
import { SignInPolicy } from "./sign-in-policy.tsx";
import { UserSessions } from "./user-sessions.tsx";

type User = Item<"GET /v1/users">;

const stateOf = ({ can_sign_in, invited_until }: User): string => {
  if (can_sign_in) return "Can sign in";
  return invited_until !== null && Date.parse(invited_until) > realNow() ? "Invited" : "Cannot sign in";
};

const COLUMNS: readonly Column<User>[] = [
  { key: "name", title: "Name", width: "1fr", render: ({ name }) => name },
  { key: "email", title: "E-mail", width: "2fr", render: ({ email }) => email },
  { key: "permission", title: "Role", width: "7rem", render: (user) => permissionLabel(user.permission) },
  { key: "state", title: "State", width: "8rem", render: stateOf },
  {
    key: "since",
    title: "Made",
    width: "8rem",
    align: "right",
    isExtra: true,
    render: (user) => <Time at={user.created_at} isReal />,
  },
];

/** Who may sign in: invited, given a permission, removed. */
export function Component() {
  const isAdmin = useCan("admin");
  const mayRequire = useCan("admin", { tenantWide: true });
  const [isInviting, setInviting] = useState(false);
  const [link, setLink] = useState<Link>();
  const users = usePages("GET /v1/users", "users", {});
  return (
    <>
      <SystemHead
        title="Team"
        about="Who may sign in to this console, and what each may do"
        actions={
          <Button
            disabled={!isAdmin}
            title={isAdmin ? undefined : "This is for admins"}
            onClick={() => setInviting(true)}
          >
            Invite somebody
          </Button>
        }
      />
      <ListWithDetail
        label="Users"
        list={users}
        columns={COLUMNS}
        rowKey={({ unique_id }) => unique_id}
        param="user"
        empty={<EmptyState title="Nobody yet" text="Whom you invite shows up here." />}
        title={({ name }) => name}
        detail={(user, close) => <UserDetail key={user.unique_id} user={user} close={close} invited={setLink} />}
      />
      {/* Below a list of few rows, which is shorter than what stands for it while it loads. */}
      {!users.isPending && <Roles />}
      {!users.isPending && mayRequire && <SignInPolicy />}
      <Invite isOpen={isInviting} close={() => setInviting(false)} done={setLink} />
      <InvitationLink link={link} close={() => setLink(undefined)} />
    </>
  );
}

function UserDetail({
  user: member,
  close,
  invited,
}: {
  user: User;
  close: () => void;
  invited: (link: Link) => void;
}) {
  const { user } = useSession();
  const isAdmin = useCan("admin");
  const params = { user_id: member.unique_id };
  const change = useSend("PATCH /v1/users/:user_id", ["GET /v1/users"], { isShown: true });
  const invite = useSend("POST /v1/users/:user_id/invitation", ["GET /v1/users"], { isShown: true });
  const remove = useSend("DELETE /v1/users/:user_id", ["GET /v1/users"], { isShown: true });
  const reset = useSend("DELETE /v1/users/:user_id/factors", ["GET /v1/users/:user_id/sessions"], { isShown: true });
  const isSelf = member.unique_id === user.unique_id;
  const failure = change.error ?? invite.error;
  return (
    <Stack gap="lg">
      <Fields
        items={[
          ["E-mail", member.email],
          ["State", stateOf(member)],
          member.invited_until !== null && ["Invitation until", <Time key="until" at={member.invited_until} isReal />],
          ["Made", <Time key="made" at={member.created_at} exact isReal />],
        ]}
      />
      <Select
        label="Role"
        description={isSelf ? "Your own is changed by another admin" : "It counts at once, also for open sessions"}
        data={PERMISSIONS.map(({ value, label, about }) => ({ value, label: `${label}: ${about}` }))}
        value={member.permission}
        allowDeselect={false}
        disabled={!isAdmin || isSelf || change.isPending}
        onChange={(value) => {
          const permission = PERMISSIONS.find((one) => one.value === value)?.value;
          if (permission) change.mutate({ params, body: { permission } });
        }}
      />
      {member.permission !== "admin" && (
        <OrganizationsSelect
          label="Organizations"
          description="What belongs to these, and nothing of others, is seen and changed"
          fixed={member.organization_id}
          value={member.organization_ids}
          disabled={!isAdmin || change.isPending}
          onChange={(organization_ids) => {
            if (organization_ids.length > 0) change.mutate({ params, body: { organization_ids } });
          }}
        />
      )}
      {failure && (
        <Text size="sm" c="red" role="alert">
          {messageOf(failure)}
        </Text>
      )}
      {isAdmin && <UserSessions userId={member.unique_id} name={member.name} />}
      <Group gap="sm">
        {isAdmin && (
          <LinkButton variant="default" to={`/system/activity?user_id=${member.unique_id}`}>
            Audit log
          </LinkButton>
        )}
        {isAdmin && !isSelf && (
          <>
            <Button
              variant="default"
              loading={invite.isPending}
              onClick={async () => {
                const made = await invite.mutateAsync({ params }).catch(() => undefined);
                if (made?.invitation_url)
                  invited({ url: made.invitation_url, until: made.expires_at, email: member.email });
              }}
            >
              {member.can_sign_in ? "New password link" : "New invitation"}
            </Button>
            <ConfirmButton
              title={`Reset the second factor of ${member.name}?`}
              text="For somebody who has lost it: apps, passkeys and recovery codes are removed, and open sessions end. The password stays."
              confirm="Reset"
              onConfirm={() => reset.mutateAsync({ params })}
            >
              Reset second factor
            </ConfirmButton>
            <ConfirmButton
              title={`Remove ${member.name}?`}
              text="Open sessions end at once. What this user made stays."
              confirm="Remove"
              onConfirm={async () => {
                await remove.mutateAsync({ params });
                close();
              }}
            >
              Remove
            </ConfirmButton>
          </>
        )}
        <CopyAsCurl operation="PATCH /v1/users/:user_id" args={{ params, body: { permission: "viewer" } }} />
      </Group>
    </Stack>
  );
}
