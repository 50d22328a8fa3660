import pg from "pg";

/**
 * Opens a session of its own, for work that a pool is not for; whoever opens it ends it. What runs on it fails by itself when it is lost.
 */
export async function ownSession(url: string, name: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: name });
  // Said a second time, and to nobody: it would end the process.
  client.on("error", () => {});
  await client.connect();
  return client;
}
