import { Injectable } from '@nestjs/common';
import type { EventData, NewsItem } from './news-item';

/**
 * Receives news after the commit:
 *
 *     @Injectable()
 *     class Herald implements NewsListener {
 *       constructor(listeners: NewsListeners) {
 *         listeners.addListener(this);
 *       }
 *       anybodyListens = () => Promise.resolve(true);
 *       publish = async (news: readonly NewsItem[]) => news.forEach(({ id, event }) => console.log(id, event));
 *     }
 */
export interface NewsListener {
  /** True if such events may reach someone. Called before many publications, so it must be cheap. */
  anybodyListens(events: readonly string[]): Promise<boolean>;

  /**
   * Resolves when the listener has done what it can. After a failure, and after a crash, all of it
   * may be published again, under the same ids.
   */
  publish(news: readonly NewsItem[]): Promise<void>;

  /** Keeps for later what could not be published, and nobody will publish again. */
  keep?(news: readonly NewsItem[]): Promise<void>;
}

/** Adds fields to the data of news before any listener receives it. */
export interface NewsMarks {
  marksOf(data: EventData): Promise<object>;
}

/** The listeners to news. There need not be any: money moves without them. */
@Injectable()
export class NewsListeners {
  private readonly listeners: NewsListener[] = [];
  private readonly marks: NewsMarks[] = [];

  addListener(listener: NewsListener): void {
    this.listeners.push(listener);
  }

  addMarks(marks: NewsMarks): void {
    this.marks.push(marks);
  }

  /** False if these events have no listener, so that the caller need not look up what they are about. */
  async anybodyListens(...events: string[]): Promise<boolean> {
    const answers = await Promise.all(this.listeners.map((one) => one.anybodyListens(events)));
    return answers.includes(true);
  }

  /**
   * @param makeNews called once, if there is a listener
   * @throws if a listener has failed, for instance because Redis is down
   */
  async publish(makeNews: () => readonly NewsItem[]): Promise<void> {
    if (this.listeners.length === 0) return;
    await this.deliver(await this.marked(makeNews()));
  }

  /**
   * Publishes news that nobody would publish again.
   * @param makeNews called once, if there may be a listener
   * @throws if a listener has failed, after every listener has kept what it can
   */
  async publishOrKeep(
    events: readonly string[],
    makeNews: () => Promise<readonly NewsItem[]>,
  ): Promise<void> {
    if (!(await this.anybodyListens(...events).catch(() => true))) return;
    const news = await this.marked(await makeNews());
    await this.deliver(news).catch(async (cause: unknown) => {
      await Promise.all(this.listeners.map(async (one) => one.keep?.(news)));
      throw cause;
    });
  }

  private async deliver(news: readonly NewsItem[]): Promise<void> {
    await Promise.all(this.listeners.map((one) => one.publish(news)));
  }

  private marked(news: readonly NewsItem[]): Promise<NewsItem[]> {
    return Promise.all(
      news.map(async (item) => {
        const marks = await Promise.all(this.marks.map((one) => one.marksOf(item.data)));
        return { ...item, data: Object.assign({}, item.data, ...marks) as EventData };
      }),
    );
  }
}
