import { Injectable } from '@nestjs/common';
import { invariant } from '../../../libs/invariant';
import { FieldPlace } from '../../platform/http';

const fields = {
  /** The winner's thanks to the sender of a packet. */
  thanks: new FieldPlace(),
  /** The sums of all packets of a user, on the first page of their list. */
  totals: new FieldPlace(),
};

type FieldName = keyof typeof fields;

/** Gives packets the fields that an extension knows, in programs that load its code. */
export function definePacketMarks(definition: Readonly<Record<FieldName, PropertyDecorator>>): void {
  for (const name of Object.keys(fields) as FieldName[]) fields[name].declare(definition[name]);
}

/** A field that marks of packets declare. */
export const PacketField = (name: FieldName): PropertyDecorator => fields[name].here();

export interface NumberedPacket {
  readonly activityId: string;
  readonly packetNo: number;
}

/**
 * Adds fields to packets that were won.
 *
 * @example
 * class Ribbons implements PacketMarks {
 *   constructor(marked: MarkedPackets) {
 *     marked.register(this);
 *   }
 *   marksOf = async (packets: readonly NumberedPacket[]) => packets.map(() => ({ thanks: { text: 'Thanks' } }));
 *   totalsOf = async () => ({ totals: [] });
 * }
 */
export interface PacketMarks {
  /** Returns fields for each packet, in their order. */
  marksOf(packets: readonly NumberedPacket[]): Promise<object[]>;
  /** Returns fields for the first page of the packets of a user. */
  totalsOf(userId: string): Promise<object>;
}

/** Marks packets with what an extension knows about them, if there is such an extension. */
@Injectable()
export class MarkedPackets {
  private marks?: PacketMarks;

  register(marks: PacketMarks): void {
    invariant(!this.marks, 'Packets are marked twice.');
    this.marks = marks;
  }

  async marksOf(packets: readonly NumberedPacket[]): Promise<object[]> {
    return (packets.length > 0 && (await this.marks?.marksOf(packets))) || packets.map(() => ({}));
  }

  async totalsOf(userId: string): Promise<object> {
    return (await this.marks?.totalsOf(userId)) ?? {};
  }
}
