/** What a user may do, in words. */
export const PERMISSIONS = [
  { value: "viewer", label: "Viewer", about: "looks on" },
  { value: "member", label: "Member", about: "works with agents, contacts and campaigns" },
  { value: "admin", label: "Admin", about: "also users, API keys and the system" },
] as const;

export const permissionLabel = (permission: string): string =>
  PERMISSIONS.find(({ value }) => value === permission)?.label ?? permission;
