import { Injectable } from '@nestjs/common';
import { definePacketMarks, MarkedPackets, type NumberedPacket, type PacketMarks } from '../../core/winners';
import { packetMarks } from './received.dto';
import { ReceivedTotals } from './received-totals';
import { ThanksRepository } from './thanks.repository';

definePacketMarks(packetMarks);

/** Marks packets with the thanks for them, and adds up those of a user. */
@Injectable()
export class ReceivedPackets implements PacketMarks {
  constructor(
    private readonly thanks: ThanksRepository,
    private readonly totals: ReceivedTotals,
    marked: MarkedPackets,
  ) {
    marked.register(this);
  }

  async marksOf(packets: readonly NumberedPacket[]): Promise<object[]> {
    const thanks = await this.thanks.ofPackets(packets);
    return thanks.map((said) =>
      said ? { thanks: { text: said.text, at: said.thankedAt.toISOString() } } : {},
    );
  }

  async totalsOf(userId: string): Promise<object> {
    return { totals: await this.totals.of(userId) };
  }
}
