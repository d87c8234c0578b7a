import { Injectable } from '@nestjs/common';
import { type Activity, type ActivityDto, ActivityRepository, ActivityViews } from '../../core/activity';
import { Currencies } from '../../core/currency';
import { decodeCursor, type Page, type PageQuery, toPage } from '../../platform/http';
import { PACKETS_COUNTED_MAX, type SentDto, type SentTotalDto } from './sent.dto';
import { type SentFigures, SentRepository, type Won } from './sent.repository';

const NOTHING: Won = { packets: 0, amountMinor: 0n };

export interface SentPage extends Page<SentDto> {
  readonly totals?: SentTotalDto[];
}

/** Shows senders what they have sent, and how much of it was won or came back. */
@Injectable()
export class SentService {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly views: ActivityViews,
    private readonly sent: SentRepository,
    private readonly currencies: Currencies,
  ) {}

  async list(sponsorId: string, { limit, cursor }: PageQuery): Promise<SentPage> {
    const rows = await this.activities.list({ sponsorId }, decodeCursor(cursor), limit + 1);
    const { items, nextCursor } = toPage(rows, limit, ({ id }) => id);
    const page = { items: await this.viewsOf(items), nextCursor };
    return cursor === undefined ? { ...page, totals: await this.totalsOf(sponsorId) } : page;
  }

  private async viewsOf(activities: readonly Activity[]): Promise<SentDto[]> {
    const counted = activities.filter(
      ({ packetCount, isArchived }) => packetCount <= PACKETS_COUNTED_MAX && !isArchived,
    );
    const countedIds = counted.map(({ id }) => id);
    const [views, figures, won] = await Promise.all([
      this.views.many(activities),
      this.sent.figures(activities.map(({ id }) => id)),
      this.sent.won(countedIds),
    ]);
    const wonOf = (id: string) => (countedIds.includes(id) ? (won.get(id) ?? NOTHING) : undefined);
    return Promise.all(views.map((view) => this.view(view, figures.get(view.id)!, wonOf(view.id))));
  }

  private async view(
    { id: activityId, name, phase, cancelled, audience, currency: code, ...times }: ActivityDto,
    { sentMinor, packetCount, returnedMinor, thanks }: SentFigures,
    won: Won | undefined,
  ): Promise<SentDto> {
    const currency = await this.currencies.of(code);
    const { opensAt, closesAt, createdAt, closedAt } = times;
    return {
      ...{ activityId, name, phase, cancelled, audience },
      ...{ amount: currency.format(sentMinor), currency: code, packetCount },
      grabbed: won ? { packets: won.packets, amount: currency.format(won.amountMinor) } : null,
      returned: currency.format(returnedMinor),
      thanks,
      ...{ opensAt, closesAt, createdAt, closedAt },
    };
  }

  private async totalsOf(sponsorId: string): Promise<SentTotalDto[]> {
    const totals = await this.sent.totals(sponsorId);
    return Promise.all(
      totals.map(async ({ amountMinor, returnedMinor, ...total }) => {
        const currency = await this.currencies.of(total.currency);
        return { ...total, amount: currency.format(amountMinor), returned: currency.format(returnedMinor) };
      }),
    );
  }
}
