import { Injectable } from '@nestjs/common';
import type { Activity } from '../../core/activity';
import { Currencies } from '../../core/currency';
import { WonPacketRepository } from '../../core/winners';
import { PaidOutRepository } from '../payout';
import type { Row } from './export-format';
import { type ExportKind, ExportLines } from './export-lines';
import { ExportRepository } from './export.repository';

/** Large enough to cost little, and small enough to be kept for a slow reader. */
const ROWS_PER_PAGE = 1_000;

const FIRST_ID = '0';
const FIRST_NO = 0;

/**
 * Reads the rows of an export, page by page, each in one statement. Nothing is held between two
 * pages, neither a connection nor a snapshot, so a reader may take its time. Pages follow keys that
 * never change, and rows leave their tables only by archiving, which {@link ExportService} checks.
 * So every row that existed at the beginning comes exactly once; rows that are added may come too.
 */
@Injectable()
export class ExportPages {
  constructor(
    private readonly wonPackets: WonPacketRepository,
    private readonly repository: ExportRepository,
    private readonly paidOut: PaidOutRepository,
    private readonly currencies: Currencies,
  ) {}

  async *readPages(kind: ExportKind, activity: Activity): AsyncGenerator<Row[]> {
    const lines = new ExportLines(await this.currencies.of(activity.currency));
    yield* this.pagesOf(kind, activity, lines);
  }

  private pagesOf(kind: ExportKind, activity: Activity, lines: ExportLines): AsyncGenerator<Row[]> {
    switch (kind) {
      case 'claims':
        return this.ofClaims(activity, lines);
      case 'ledger':
        return this.ofLedger(activity, lines);
      case 'payouts':
        return this.ofPayouts(activity, lines);
      case 'results':
        return this.ofResults(activity, lines);
    }
  }

  private async *ofClaims({ id }: Activity, lines: ExportLines): AsyncGenerator<Row[]> {
    const pages = pagesByKey(
      (after, limit) => this.wonPackets.listOfActivity(id, after, limit),
      FIRST_NO,
      ({ packetNo }) => packetNo,
    );
    for await (const page of pages) yield page.map((claim) => lines.claim(claim));
  }

  /** Money paid in, then credits to winners, then money paid back: each has another index. */
  private async *ofLedger(activity: Activity, lines: ExportLines): AsyncGenerator<Row[]> {
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
      for await (const page of pages) yield page.map((transfer) => lines.transfer(transfer));
    }
  }

  private async *ofPayouts({ id }: Activity, lines: ExportLines): AsyncGenerator<Row[]> {
    const pages = pagesByKey(
      (after, limit) => this.paidOut.list(id, after, limit),
      FIRST_NO,
      ({ packetNo }) => packetNo,
    );
    for await (const page of pages) yield page.map((row) => lines.payout(row));
  }

  /**
   * There are at most as many claims as packets, so one page of claims from the same first number
   * on contains all claims of a page of packets.
   */
  private async *ofResults(activity: Activity, lines: ExportLines): AsyncGenerator<Row[]> {
    const pages = pagesByKey(
      (after, limit) => this.repository.packets(activity, after, limit),
      FIRST_NO,
      ({ no }) => no,
    );
    for await (const page of pages) {
      const claims = await this.wonPackets.listOfActivity(activity.id, page[0]!.no - 1, page.length);
      const byPacket = new Map(claims.map((claim) => [claim.packetNo, claim]));
      yield page.map((packet) => lines.result(activity.id, packet, byPacket.get(packet.no)));
    }
  }
}

const idOf = ({ id }: { readonly id: string }): string => id;

/** Yields pages, each after the last row of the one before. None is empty; a short one is last. */
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
