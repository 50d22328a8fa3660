/**
 * What the server is started with, on its command line, so that a cluster of any age has today's settings. For a
 * small machine that it shares with the service; who needs more runs their own PostgreSQL.
 */
export const SERVER_SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  // TCP is the only way in: a socket's path is limited to 107 bytes, a data directory's is not.
  unix_socket_directories: "",
  // The api's, the worker's and the queue's pools, a few CLI commands, and room to look inside.
  max_connections: "200",
  shared_buffers: "256MB",
  // A campaign of 100,000 leads writes some hundred MB of WAL in seconds: let no checkpoint fall into it.
  max_wal_size: "4GB",
  checkpoint_timeout: "15min",
  wal_compression: "on",
  // An acknowledged text, opt-out or lead survives a power cut. Never to be traded for speed.
  synchronous_commit: "on",
  // Statements here take a millisecond or two; compiling one takes fifty.
  jit: "off",
  // A node that vanished without closing its connection loses its session, and with it its locks, within 30 s.
  tcp_keepalives_idle: "10",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "25000",
  timezone: "UTC",
  log_timezone: "UTC",
  // The details of an error quote the row, which is personal data: the service logs its own errors.
  log_error_verbosity: "terse",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
};
