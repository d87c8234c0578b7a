/** Number within the activity, and amount. */
export interface Packet {
  readonly no: number;
  readonly amountMinor: bigint;
}

/** A packet that a user holds; confirmed once its claim is known to be in Postgres. */
export interface HeldPacket extends Packet {
  readonly confirmed: boolean;
}

const CONFIRMED = '!';
const HELD_PACKET = /^(\d{1,15}):(\d{1,19})(!?)$/;

export const packetText = (packet: Packet): string => `${packet.no}:${packet.amountMinor}`;

export const confirmedText = (packet: Packet): string => packetText(packet) + CONFIRMED;

export const heldText = (packet: Packet & Partial<HeldPacket>): string =>
  packet.confirmed ? confirmedText(packet) : packetText(packet);

/**
 * Reads `<no>:<amountMinor>`, with or without the mark of a confirmed claim.
 * @throws on anything else
 */
export function parsePacket(text: string): HeldPacket {
  const [, no, amountMinor, mark] = HELD_PACKET.exec(text) ?? [];
  if (no === undefined || amountMinor === undefined)
    throw new TypeError(`not a packet: ${JSON.stringify(text)}`);
  return { no: Number(no), amountMinor: BigInt(amountMinor), confirmed: mark === CONFIRMED };
}
