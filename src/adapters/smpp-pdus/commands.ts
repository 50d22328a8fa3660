/** One octet; a string that ends in a zero octet, of so many octets with it at most; octets behind one that says how many. */
type Field = { type: "octet" } | { type: "string"; most: number } | { type: "octets" };

const octet = { type: "octet" } as const;
const octets = { type: "octets" } as const;
const string = (most: number) => ({ type: "string", most }) as const;

const BIND = {
  system_id: string(16),
  password: string(9),
  system_type: string(13),
  interface_version: octet,
  addr_ton: octet,
  addr_npi: octet,
  address_range: string(41),
} as const;
const BOUND = { system_id: string(16) } as const;
const SOURCE = { source_addr_ton: octet, source_addr_npi: octet, source_addr: string(21) } as const;
const DESTINATION = { dest_addr_ton: octet, dest_addr_npi: octet, destination_addr: string(21) } as const;
const TEXT = {
  service_type: string(6),
  ...SOURCE,
  ...DESTINATION,
  esm_class: octet,
  protocol_id: octet,
  priority_flag: octet,
  schedule_delivery_time: string(17),
  validity_period: string(17),
  registered_delivery: octet,
  replace_if_present_flag: octet,
  data_coding: octet,
  sm_default_msg_id: octet,
  short_message: octets,
} as const;
const ANSWERED = { message_id: string(65) } as const;

/** The PDUs of SMPP 3.4 with their ids and mandatory fields in order, but for those that send to many or to a place: we have no use for them. */
export const COMMANDS = {
  bind_receiver: { id: 0x01, fields: BIND },
  bind_transmitter: { id: 0x02, fields: BIND },
  query_sm: { id: 0x03, fields: { message_id: string(65), ...SOURCE } },
  submit_sm: { id: 0x04, fields: TEXT },
  deliver_sm: { id: 0x05, fields: TEXT },
  unbind: { id: 0x06, fields: {} },
  replace_sm: {
    id: 0x07,
    fields: {
      message_id: string(65),
      ...SOURCE,
      schedule_delivery_time: string(17),
      validity_period: string(17),
      registered_delivery: octet,
      sm_default_msg_id: octet,
      short_message: octets,
    },
  },
  cancel_sm: { id: 0x08, fields: { service_type: string(6), message_id: string(65), ...SOURCE, ...DESTINATION } },
  bind_transceiver: { id: 0x09, fields: BIND },
  outbind: { id: 0x0b, fields: { system_id: string(16), password: string(9) } },
  enquire_link: { id: 0x15, fields: {} },
  alert_notification: {
    id: 0x102,
    fields: { ...SOURCE, esme_addr_ton: octet, esme_addr_npi: octet, esme_addr: string(65) },
  },
  data_sm: {
    id: 0x103,
    fields: {
      service_type: string(6),
      ...SOURCE,
      ...DESTINATION,
      esm_class: octet,
      registered_delivery: octet,
      data_coding: octet,
    },
  },
  generic_nack: { id: 0x80000000, fields: {} },
  bind_receiver_resp: { id: 0x80000001, fields: BOUND },
  bind_transmitter_resp: { id: 0x80000002, fields: BOUND },
  query_sm_resp: {
    id: 0x80000003,
    fields: { message_id: string(65), final_date: string(17), message_state: octet, error_code: octet },
  },
  submit_sm_resp: { id: 0x80000004, fields: ANSWERED },
  deliver_sm_resp: { id: 0x80000005, fields: ANSWERED },
  unbind_resp: { id: 0x80000006, fields: {} },
  replace_sm_resp: { id: 0x80000007, fields: {} },
  cancel_sm_resp: { id: 0x80000008, fields: {} },
  bind_transceiver_resp: { id: 0x80000009, fields: BOUND },
  enquire_link_resp: { id: 0x80000015, fields: {} },
  data_sm_resp: { id: 0x80000103, fields: ANSWERED },
} as const satisfies Record<string, { id: number; fields: Record<string, Field> }>;

export type CommandName = keyof typeof COMMANDS;
export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];
const NAME_OF = new Map<number, CommandName>(COMMAND_NAMES.map((name) => [COMMANDS[name].id, name]));

/** Undefined for what is no command of ours. */
export const commandOf = (id: number): CommandName | undefined => NAME_OF.get(id);
export const fieldsOf = (command: CommandName): [string, Field][] => Object.entries(COMMANDS[command].fields);
/** What answers something is never answered itself. */
export const isResponse = (id: number): boolean => id >= 0x80000000;

type ValueOf<F> = F extends { type: "octet" } ? number : F extends { type: "string" } ? string : Uint8Array;
type FieldsOf<C extends CommandName> = {
  -readonly [K in keyof (typeof COMMANDS)[C]["fields"]]: ValueOf<(typeof COMMANDS)[C]["fields"][K]>;
};

/** A TLV: a tag, and a value as it came. */
export type Tlv = { tag: number; value: Uint8Array };

/** `fields` are complete: a response may leave its own out, and has "" and 0 in their place then. */
export type PduOf<C extends CommandName> = {
  command: C;
  status: number;
  sequence: number;
  fields: FieldsOf<C>;
  tlvs: readonly Tlv[];
};
export type Pdu = { [C in CommandName]: PduOf<C> }[CommandName];
/** A request to us that wants an answer, and what answers it. */
export type ResponseName = Extract<CommandName, `${string}_resp`>;
