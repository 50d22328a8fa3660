// npm `smpp` has no types of its own: what our tests use of it.
declare module "smpp" {
  import type { EventEmitter } from "node:events";
  import type { Server as NetServer, Socket } from "node:net";

  type Fields = Record<string, unknown>;

  export class PDU {
    constructor(command: string | Buffer, options?: Fields);
    static fromBuffer(bytes: Buffer): PDU | false;
    command: string;
    command_status: number;
    sequence_number: number;
    [field: string]: unknown;
    toBuffer(): Buffer;
    isResponse(): boolean;
    response(options?: Fields): PDU;
  }

  export interface Session extends EventEmitter {
    socket: Socket;
    send(pdu: PDU, answered?: (answer: PDU) => void, sent?: (pdu: PDU) => void): boolean;
    pause(): void;
    resume(): void;
    close(): void;
    destroy(): void;
    deliver_sm(fields: Fields, answered?: (answer: PDU) => void): boolean;
    submit_sm(fields: Fields, answered?: (answer: PDU) => void): boolean;
    enquire_link(answered?: (answer: PDU) => void): boolean;
    unbind(answered?: (answer: PDU) => void): boolean;
  }

  export interface Server extends NetServer {
    sessions: Session[];
  }

  const smpp: {
    PDU: typeof PDU;
    createServer(options: { key?: string; cert?: string }, listener: (session: Session) => void): Server;
    connect(options: { host: string; port: number }, listener?: () => void): Session;
    gsmCoder: { encode(text: string): Buffer; decode(octets: Buffer): string; detect(text: string): unknown };
    errors: Record<string, number>;
  };
  export default smpp;
}
