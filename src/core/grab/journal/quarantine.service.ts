import { Injectable } from '@nestjs/common';
import { type QuarantinedEntry, ShardJournals } from '../../../../libs/redis-scripts';
import { decodeCursor, type Page, type PageQuery, toPage } from '../../../platform/http';
import { dispenserAway } from '../draw/draw.error';
import type { QuarantinedEntryDto } from './quarantine.dto';

const SHOWN_MAX = 1_000;

/** `<shard>/<stream id>` of the last entry of a page. */
const CURSOR = /^(\d{1,5})\/(\d{1,20}-\d{1,20})$/;

/** Journal entries that could not be read, for operators. */
@Injectable()
export class QuarantineService {
  constructor(private readonly journals: ShardJournals) {}

  /** @throws dispenserAway */
  async list({ limit, cursor }: PageQuery): Promise<Page<QuarantinedEntryDto>> {
    const [, shard = '0', beforeId] =
      CURSOR.exec(decodeCursor(cursor, (value) => CURSOR.test(value)) ?? '') ?? [];
    const entries = await this.read(Number(shard), beforeId, limit + 1).catch((cause: unknown) => {
      throw dispenserAway('The journal could not be read from Redis; try again.', {
        retryAfterSeconds: 1,
        cause,
      });
    });
    const { items, nextCursor } = toPage(entries, limit, (entry) => entry.key);
    return { items: items.map(({ dto }) => dto), nextCursor };
  }

  private async read(firstShard: number, beforeId: string | undefined, countMax: number): Promise<Listed[]> {
    const listed: Listed[] = [];
    let before = beforeId;
    for (const shard of this.journals.keys.shards.slice(firstShard)) {
      while (listed.length < countMax) {
        const entry = await this.journals.quarantinedBefore(shard, before);
        if (!entry) break;
        listed.push({ key: `${shard}/${entry.id}`, dto: toDto(entry) });
        before = entry.id;
      }
      before = undefined;
    }
    return listed;
  }
}

interface Listed {
  readonly key: string;
  readonly dto: QuarantinedEntryDto;
}

const toDto = ({ shard, entryId, flaw, fields }: QuarantinedEntry): QuarantinedEntryDto => ({
  shard,
  entryId,
  flaw,
  fields: fields.slice(0, SHOWN_MAX),
  length: fields.length,
});
