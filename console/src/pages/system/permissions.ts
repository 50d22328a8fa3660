/** What a user may do, in words. */
export const PERMISSIONS = [
  { value: "viewer", label: "Viewer", about: "sees what belongs to the user's organizations" },
  { value: "agent", label: "Agent", about: "also writes in conversations and calls" },
  { value: "manager", label: "Manager", about: "also works with agents, contacts and campaigns" },
  { value: "admin", label: "Admin", about: "sees all organizations, and works with users, API keys and the system" },
] as const;

export const permissionLabel = (permission: string): string =>
  PERMISSIONS.find(({ value }) => value === permission)?.label ?? permission;
