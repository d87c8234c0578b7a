import type { OpenAPIObject } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { defineEvents, EventDto, eventNames, type NewsItem, NewsListeners } from '../../src/core/news';
import { CreditOutlet } from '../../src/core/outlet';
import { SettlementNews } from '../../src/core/wallet/settlement-news';
import { SettlementRepository } from '../../src/core/wallet/settlement.repository';
import { ANY_DATA, ANY_EVENT, describeEvents } from '../../src/extensions/notification/describe-events';
import type { Currencies } from '../../src/core/currency';
import { AppConfig } from '../../src/platform/config';
import { dataSourceOptions } from '../../src/platform/postgres';

const CORE_EVENTS = [
  'packet.confirmed',
  'wallet.credited',
  'waitlist.assigned',
  'activity.opened',
  'activity.sold-out',
  'activity.closed',
  'activity.extended',
];

const ITEM: NewsItem = { id: '2.closed', event: 'activity.closed', data: { activityId: '2', at: '' } };

const hear = (heard: string[], answer: boolean) => ({
  anybodyListens: () => Promise.resolve(answer),
  publish: (news: readonly NewsItem[]) => Promise.resolve(void heard.push(...news.map(({ id }) => id))),
});

describe('news of the core', () => {
  /** Its lookups fail, because it is not connected. */
  const settlements = new SettlementRepository(
    new DataSource(dataSourceOptions({ databaseUrl: 'postgres://localhost/none', poolMax: 1 })),
    new AppConfig(),
    new CreditOutlet(),
  );
  const settled = { paid: 1, buried: 0, retry: [], activities: ['2'] };
  const newsTo = (listeners: NewsListeners) => new SettlementNews(settlements, listeners, {} as Currencies);

  it('is neither looked up nor created if no extension listens', async () => {
    const listeners = new NewsListeners();
    await expect(newsTo(listeners).tell(['42'], settled)).resolves.toBeUndefined();
    await listeners.publish(() => {
      throw new Error('made for nobody');
    });
  });

  it('is looked up as soon as one of several listeners may reach a user', async () => {
    const listeners = new NewsListeners();
    listeners.addListener(hear([], false));
    await expect(newsTo(listeners).tell(['42'], settled)).resolves.toBeUndefined();
    listeners.addListener(hear([], true));
    await expect(newsTo(listeners).tell(['42'], settled)).rejects.toThrow('Driver not Connected');
  });

  it('reaches every listener, and fails if one of them could not accept it', async () => {
    const listeners = new NewsListeners();
    const [first, second]: string[][] = [[], []];
    listeners.addListener(hear(first!, true));
    listeners.addListener(hear(second!, false));
    await listeners.publish(() => [ITEM]);
    expect([first, second]).toEqual([[ITEM.id], [ITEM.id]]);
    listeners.addListener({ ...hear([], true), publish: () => Promise.reject(new Error('Redis is down')) });
    await expect(listeners.publish(() => [ITEM])).rejects.toThrow('Redis is down');
  });
});

describe('events', () => {
  class GiftEventDto extends EventDto {}
  const gift = { data: GiftEventDto, examples: { 'gift.sent': { messageId: 'gift_42', at: '' } } };

  it('of the core are the only events until an extension defines others, each of which can be defined only once', () => {
    expect(eventNames()).toEqual(CORE_EVENTS);
    defineEvents(gift);
    expect(eventNames()).toEqual([...CORE_EVENTS, 'gift.sent']);
    expect(() => defineEvents(gift)).toThrow('The event gift.sent is defined twice.');
  });

  it('that are defined after a decorator has run are in the API document that it describes', () => {
    const document = {
      paths: { '/v1/me/events': { get: { description: `${ANY_EVENT}: ${ANY_DATA}` } } },
      components: {
        schemas: {
          HookDto: {
            properties: {
              events: { items: { enum: [ANY_EVENT] } },
              event: { enum: [ANY_EVENT, 'test'] },
              state: { enum: ['open'] },
            },
          },
        },
      },
    };
    describeEvents(document as unknown as OpenAPIObject);
    const all = [...CORE_EVENTS, 'gift.sent'];
    expect(document.paths['/v1/me/events'].get.description).toBe(
      `${all.map((name) => `\`${name}\``).join(', ')}: a \`PacketEventDto\`, an \`ActivityEventDto\` when the event ` +
        'begins with `activity.`, or a `GiftEventDto` when it is `gift.sent`',
    );
    expect(document.components.schemas.HookDto.properties).toEqual({
      events: { items: { enum: all } },
      event: { enum: [...all, 'test'] },
      state: { enum: ['open'] },
    });
  });
});
