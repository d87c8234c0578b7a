import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { NumberedPacket } from '../../core/winners';
import { isWithin } from '../../platform/postgres';
import type { ForgottenClaim } from '../extension';

export interface Thanks {
  readonly text: string;
  readonly thankedAt: Date;
}

const THANKS = `text, thanked_at as "thankedAt"`;

@Injectable()
export class ThanksRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Returns the thanks for a packet: these, or earlier ones. */
  async say(tx: EntityManager, { activityId, packetNo }: NumberedPacket, text: string): Promise<Thanks> {
    await tx.query(
      `insert into thanks (activity_id, packet_no, text) values ($1, $2, $3)
       on conflict on constraint thanks_pkey do nothing`,
      [activityId, packetNo, text],
    );
    const [row] = await tx.query<Thanks[]>(
      `select ${THANKS} from thanks where activity_id = $1 and packet_no = $2`,
      [activityId, packetNo],
    );
    return row!;
  }

  async wereSaidWithin(seconds: number, { activityId, packetNo }: NumberedPacket): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `select from thanks
        where activity_id = $1 and packet_no = $2 and ${isWithin('thanked_at', '$3')}`,
      [activityId, packetNo, seconds],
    );
    return rows.length > 0;
  }

  /** Returns the thanks for each packet, in their order. */
  async ofPackets(packets: readonly NumberedPacket[]): Promise<(Thanks | undefined)[]> {
    const rows = await this.dataSource.query<(Thanks & { place: number })[]>(
      `select place::integer, ${THANKS}
         from unnest($1::bigint[], $2::integer[]) with ordinality as packet (activity_id, packet_no, place)
         join thanks using (activity_id, packet_no)`,
      [packets.map(({ activityId }) => activityId), packets.map(({ packetNo }) => packetNo)],
    );
    const byPlace = new Map(rows.map(({ place, ...thanks }) => [place, thanks]));
    return packets.map((_, i) => byPlace.get(i + 1));
  }
}

/** Whatever someone has written is deleted with their id. */
export async function deleteThanks(tx: EntityManager, claims: readonly ForgottenClaim[]): Promise<void> {
  await tx.query(
    `delete from thanks
      where (activity_id, packet_no) in (select * from unnest($1::bigint[], $2::integer[]))`,
    [claims.map(({ activityId }) => activityId), claims.map(({ packetNo }) => packetNo)],
  );
}
