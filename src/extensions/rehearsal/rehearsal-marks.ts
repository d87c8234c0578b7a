import { Injectable } from '@nestjs/common';
import { Currencies } from '../../core/currency';
import { type EventData, NewsListeners, type NewsMarks } from '../../core/news';

/** Marks news of rehearsals, for everyone who receives it. */
@Injectable()
export class RehearsalMarks implements NewsMarks {
  constructor(
    private readonly currencies: Currencies,
    news: NewsListeners,
  ) {
    news.addMarks(this);
  }

  async marksOf({ activityId }: EventData): Promise<object> {
    if (activityId === undefined) return {};
    const { isPlay } = await this.currencies.ofActivity(activityId);
    return isPlay ? { rehearsal: true } : {};
  }
}
