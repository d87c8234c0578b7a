import { Injectable } from '@nestjs/common';
import type { Activity } from '../activity';
import { WonPacketRepository } from '../grab';
import type { Row } from './export-format';
import { type ExportKind, ExportLines } from './export-lines';
import { ExportRepository } from './export.repository';

/** Enough that pages cost little, and few enough to be kept for a reader who is slow. */
const ROWS_PER_PAGE = 1_000;

const FIRST_ID = '0';
const FIRST_NO = 0;

/**
 * What an export reads, page by page. Every page is a statement of its own: nothing is held between two of them, neither a
 * connection nor a snapshot, so an export may take as long as its reader likes. Claims, transfers and packets are only ever archived,
 * which {@link ExportService} looks for, and pages follow keys that never change, so what was there at the beginning comes exactly
 * once; what is added meanwhile may come as well.
 */
@Injectable()
export class ExportPages {
  constructor(
    private readonly wonPackets: WonPacketRepository,
    private readonly repository: ExportRepository,
    private readonly lines: ExportLines,
  ) {}

  of(kind: ExportKind, activity: Activity): AsyncGenerator<Row[]> {
    switch (kind) {
      case 'claims':
        return this.ofClaims(activity);
      case 'ledger':
        return this.ofLedger(activity);
      case 'results':
        return this.ofResults(activity);
    }
  }

  private async *ofClaims({ id }: Activity): AsyncGenerator<Row[]> {
    const pages = pagesByKey(
      (after, limit) => this.wonPackets.listOfActivity(id, after, limit),
      FIRST_NO,
      ({ packetNo }) => packetNo,
    );
    for await (const page of pages) yield page.map((claim) => this.lines.claim(claim));
  }

  /** First what came in, then what winners got, then what went back: each has another index. */
  private async *ofLedger(activity: Activity): AsyncGenerator<Row[]> {
    const { repository } = this;
    const parts = [
      pagesByKey((after, limit) => repository.paidIn(activity, after, limit), FIRST_ID, idOf),
      pagesByKey(
        (after, limit) => repository.credits(activity, after, limit),
        FIRST_NO,
        ({ packetNo }) => packetNo,
      ),
      pagesByKey((after, limit) => repository.paidBack(activity, after, limit), FIRST_ID, idOf),
    ];
    for (const pages of parts) {
      for await (const page of pages) yield page.map((transfer) => this.lines.transfer(transfer));
    }
  }

  /** Claims are at most as many as packets, so those of a page of packets are among as many claims from its first number on. */
  private async *ofResults(activity: Activity): AsyncGenerator<Row[]> {
    const pages = pagesByKey(
      (after, limit) => this.repository.packets(activity, after, limit),
      FIRST_NO,
      ({ no }) => no,
    );
    for await (const page of pages) {
      const claims = await this.wonPackets.listOfActivity(activity.id, page[0]!.no - 1, page.length);
      const byPacket = new Map(claims.map((claim) => [claim.packetNo, claim]));
      yield page.map((packet) => this.lines.result(activity.id, packet, byPacket.get(packet.no)));
    }
  }
}

const idOf = ({ id }: { readonly id: string }): string => id;

/** Each page begins after the last row of the one before; one that is not full is the last. None is empty. */
async function* pagesByKey<Item, Key>(
  read: (after: Key, limit: number) => Promise<Item[]>,
  first: Key,
  keyOf: (item: Item) => Key,
): AsyncGenerator<Item[]> {
  let after = first;
  for (;;) {
    const page = await read(after, ROWS_PER_PAGE);
    if (page.length > 0) yield page;
    if (page.length < ROWS_PER_PAGE) return;
    after = keyOf(page.at(-1)!);
  }
}
