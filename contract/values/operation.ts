import type { Static, TObject, TSchema } from "typebox";

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type Scope = "read" | "write" | "send" | "admin";

/** Codes of errors that only some operations have. */
export type OwnError =
  | "sms_not_enabled"
  | "voice_not_enabled"
  | "carrier_problem"
  | "wrong_credentials"
  | "session_required"
  | "link_invalid"
  | "live_key_required"
  | "proof_required"
  | "sign_on_refused"
  | "sign_on_required"
  | "provider_problem"
  | "events_gone"
  | "agent_not_found"
  | "provisioning_failed"
  | "order_pending"
  | "update_failed"
  | "no_numbers_available"
  | "voice_configuration_failed";

/**
 * One operation of the HTTP contract. The same object validates requests, types handlers and makes the OpenAPI
 * document, so the three cannot drift apart.
 */
export type Operation<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Response extends TObject = TObject,
  Method extends HttpMethod = HttpMethod,
  Path extends string = string,
> = {
  /** operationId in OpenAPI: a verb and a noun, unique. */
  readonly id: string;
  readonly method: Method;
  /** With `:name` for parameters. */
  readonly path: Path;
  readonly tag: string;
  readonly summary: string;
  readonly scope: Scope;
  /**
   * Who may call it, where that is not whoever has the scope, by API key or signed in: `anyone` needs neither, a `person` has
   * to be signed in to the console. Neither takes an Idempotency-Key: what is sent is a password, or harmless to repeat.
   */
  readonly caller?: "anyone" | "person";
  /** Of a person's: may be called in a session that lacks this still, and completes it or leads there. All others wait for a whole session. */
  readonly during?: readonly ("factor" | "enrolment")[];
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly status: 101 | 200 | 201 | 202;
  /** The fields of a success beside `success` and `powered_by`. */
  readonly response: Response;
  /** Codes of errors that it has beside those that others like it have too: docs/errors.md. */
  readonly errors?: readonly OwnError[];
  /** Bytes; 1 MB by default. */
  readonly bodyLimit?: number;
  /**
   * Shows or changes what is the whole tenant's, and no organization's alone: only who sees the whole tenant may call it, which is a
   * user with the role admin, or a key that is limited to no organizations.
   */
  readonly tenantWide?: boolean;
  /** Somebody with the role agent may call it, who works with conversations and calls and changes nothing else. */
  readonly byAgents?: boolean;
  /** Every key may call it, whatever its scopes: it shows no more than what the key is. */
  readonly forEveryKey?: boolean;
  /** Serves test keys only: it drives the simulated carrier. */
  readonly testKeysOnly?: boolean;
  /** Serves live keys, and people in live mode, only: it is about carriers that reach real phones. The operation itself refuses the others. */
  readonly liveKeysOnly?: boolean;
  /**
   * Bodies of up to 100,000 leads: read as bytes and parsed off the event loop by the operation's own reader;
   * `body` then only documents.
   */
  readonly bulk?: boolean;
  /** Takes a form (multipart/form-data) with one file, `file`, which is kept on disk while it comes in. */
  readonly upload?: boolean;
  /** Of an upload: a larger file is refused before all of it is read. Undefined: as many as the service takes. */
  readonly uploadBytes?: number;
  /** Answers with a file of CSV, and `response` is empty. Only its errors are JSON. */
  readonly csv?: boolean;
  /** Answers with a zip archive that is made as it is read, and `response` is empty. Only its errors are JSON. */
  readonly archive?: boolean;
  /** A GET that leaves an entry in the audit log all the same: what it shows leaves the service. The operation writes it. */
  readonly audited?: boolean;
  /**
   * Answers with events as they happen (text/event-stream) for as long as the reader stays, and `response` is empty. Only its
   * errors are JSON.
   */
  readonly stream?: boolean;
  /**
   * Answers with a file of sound, or the part of it that `Range` asks for, and `response` is empty. Where its query has a
   * `token`, a link's opens it without an API key.
   */
  readonly audio?: boolean;
  /** The same for a file that came with a text, which has a type of its own. */
  readonly media?: boolean;
  /**
   * Is spoken over a WebSocket, and `response` is empty: `first` is the first message of whoever calls where it is another than `later`, each
   * after it, `sent` each of ours, all as JSON; `page` in docs/ describes it. Only its refusals are answers to the request. Sessions are taken
   * from pages of ours alone.
   */
  readonly socket?: {
    readonly first?: TSchema;
    readonly later: TSchema;
    readonly sent: TSchema;
    readonly page: string;
  };
  /** A list or a report by which nothing is decided: a replica of the database may answer it (docs/high-availability.md). */
  readonly replica?: boolean;
  /** What is turned away first when there is too much to do; see loadOf for its default. */
  readonly load?: Load;
};

/**
 * `inbound` is what comes in from a carrier, and a number that is taken off by hand: a STOP must be processed whatever else is going
 * on, so it is never turned away, nor does it wait for other requests of its key.
 * `bulk` posts and `list`s are turned away first, the `ordinary` only when nothing gets through any more.
 */
export type Load = "inbound" | "ordinary" | "list" | "bulk";

/** An operation's load: what it says, else `bulk` for a body of leads, `list` for an answer in pages. */
export function loadOf({ load, bulk, response }: Pick<Operation, "load" | "bulk" | "response">): Load {
  return load ?? (bulk ? "bulk" : "next_pagination_key" in response.properties ? "list" : "ordinary");
}

/** Keeps the literal types of an operation's schemas, and of its method and path, by which the console names it. */
export function operation<
  Params extends TObject,
  Query extends TObject,
  Body extends TSchema,
  Response extends TObject,
  const Method extends HttpMethod,
  const Path extends string,
>(
  operation: Operation<Params, Query, Body, Response, Method, Path>,
): Operation<Params, Query, Body, Response, Method, Path> {
  return operation;
}

export type ParamsOf<O> = O extends Operation<infer P, TObject, TSchema> ? Static<P> : never;
export type QueryOf<O> = O extends Operation<TObject, infer Q, TSchema> ? Static<Q> : never;
export type BodyOf<O> = O extends Operation<TObject, TObject, infer B> ? Static<B> : never;
