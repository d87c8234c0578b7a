import type { ChannelRow } from '../../src/extensions/payout/channel/channel.entity';
import type { Call } from '../../src/extensions/payout/send/due.repository';
import { backEndOf, Books, requestOf } from '../harness/books';
import { Dispensing } from '../harness/dispensing';
import { createDatabase, type TestDatabase, waitFor } from '../harness/engines';

const URL_OF_SHOP = 'http://127.0.0.1:9';
/** How many calls are remembered, over all channels. */
const CALLS_KEPT = 64;
const FINANCE = requestOf('finance', 'finance');

let redis: Dispensing;
let databases: TestDatabase[];
let books: Books;

async function open(database: TestDatabase): Promise<void> {
  databases.push(database);
  books = await Books.of(database.url, { WEBHOOK_PRIVATE_ADDRESSES: 'true' }, true, redis);
}

const nameOf = ({ url }: TestDatabase): string => new URL(url).pathname.slice(1);

/** Loses everything that is committed in the meantime. */
async function losing(work: () => Promise<void>): Promise<void> {
  await books.close();
  const copy = await createDatabase(nameOf(databases.at(-1)!));
  await open(databases.pop()!);
  await work();
  await books.close();
  await open(copy);
}

const createChannel = async (url: string | undefined): Promise<ChannelRow> =>
  books.beginCalls(await books.createChannel({ perSecond: 100 }, { url }));

async function ask({ id }: ChannelRow, userId: string): Promise<string> {
  await books.deposit(userId, 1_00n);
  return (await books.askForPayout(userId, id)).id;
}

const needReplicas = (count: number) => redis.redis.config('SET', 'min-replicas-to-write', count);
const claim = (channel: ChannelRow) => books.calls.take(channel);

const openFindings = async () => (await books.findings.list({ state: 'open', limit: 10 })).items;

async function endFindings(): Promise<void> {
  for (const { id } of await openFindings()) await books.findings.end(FINANCE, id, 'By the file.');
}

beforeEach(async () => {
  redis = await Dispensing.start();
  databases = [];
  await open(await createDatabase());
});

afterEach(async () => {
  await books.close();
  await redis.stop();
  for (const database of databases) await database.drop();
});

it('no payment is recorded while Redis refuses writes, so that nothing has to be clarified afterwards', async () => {
  const channel = await createChannel(URL_OF_SHOP);
  const id = await ask(channel, 'waits');
  await needReplicas(1);
  await expect(claim(channel)).rejects.toThrow('Redis');
  await needReplicas(0);
  expect((await books.payouts.read(id)).state).toBe('reserved');
});

it('the runs of the sender fail while Redis keeps a channel waiting, so that an outage is logged when it begins and when it ends', async () => {
  await ask(await createChannel(URL_OF_SHOP), 'waits');
  const { signal } = new AbortController();
  const run = () => books.sender.sendDue(signal).catch(String);
  await needReplicas(1);
  await waitFor(async () => /^Error: Channel \d+:.*Redis/.test((await run()) ?? ''), {
    what: 'a failed run',
  });
  expect([await run(), await run()]).toEqual(Array(2).fill(expect.stringContaining('Redis')));
  await needReplicas(0);
  await waitFor(async () => (await run()) === undefined, { what: 'a run that serves the channel' });
});

describe('a Postgres that loses commits', () => {
  it('pays nothing through a channel that was called until a person has ended the finding', async () => {
    const channel = await createChannel(URL_OF_SHOP);
    let lost = '';
    await losing(async () => {
      lost = await ask(channel, 'paid-before-the-loss');
      expect(await claim(channel)).toMatchObject([{ id: lost, method: 'PUT' }]);
    });
    const again = await ask(channel, 'paid-before-the-loss');
    expect(await claim(channel)).toEqual([]);
    const [finding, ...others] = await openFindings();
    expect([finding, others]).toMatchObject([
      { kind: 'calls-lost', payoutId: null, detail: { calls: [{ id: lost, no: 1 }] } },
      [],
    ]);
    expect(await claim(channel)).toEqual([]);
    await books.findings.end(FINANCE, finding!.id, 'Compared with the file of the channel.');
    expect([await claim(channel), again]).toMatchObject([[{ id: lost, attempt: 2 }], lost]);
    expect(BigInt(await ask(channel, 'next'))).toBeGreaterThan(BigInt(lost) + 1_000_000n);
    expect([await claim(channel), await openFindings()]).toMatchObject([[{ userId: 'next' }], []]);
  });

  it('posts a payment in the file of the channel to a payout that only looks like it', async () => {
    const channel = await createChannel(URL_OF_SHOP);
    let lost = '';
    await losing(async () => {
      lost = await ask(channel, 'resembles');
      await claim(channel);
    });
    expect(await ask(channel, 'resembles')).toBe(lost);
    expect(await claim(channel)).toEqual([]);
    await books.handIn(channel.id, '2020-02-01', `${lost}a1,resembles,1.00,paid,2020-01-31T12:00:00.000Z`);
    await endFindings();
    expect([(await books.payouts.read(lost)).state, await claim(channel)]).toEqual(['paid', []]);
  });

  it('pays nothing even if it has lost only the record of the call', async () => {
    const channel = await createChannel(URL_OF_SHOP);
    await ask(channel, 'early');
    await losing(async () => void (await claim(channel)));
    expect(await claim(channel)).toEqual([]);
    expect(await openFindings()).toMatchObject([{ kind: 'calls-lost' }]);
  });

  it('is detected for a quiet channel as well, next to a channel that is called all the time', async () => {
    const [quiet, busy] = [await createChannel(URL_OF_SHOP), await createChannel(URL_OF_SHOP)];
    await losing(async () => {
      await ask(quiet, 'quiet');
      await claim(quiet);
      for (let i = 0; i < CALLS_KEPT; i++) {
        await ask(busy, `busy-${i}`);
        await books.dataSource.query(`update payout_pace set filled_at = now() - interval '1 minute'`);
        const [call] = await claim(busy);
        await books.answers.apply(call!, { kind: 'outcome', outcome: 'paid', externalId: `T-${i}` });
      }
    });
    for (const channel of [quiet, busy]) await ask(channel, 'next');
    expect([await claim(busy), await claim(quiet)]).toEqual([[], []]);
    const channels = (await openFindings()).map(({ channelId }) => channelId);
    expect(channels.sort()).toEqual([quiet.id, busy.id].sort());
  });

  it('continues if it has all calls', async () => {
    const channel = await createChannel(URL_OF_SHOP);
    await ask(channel, 'called');
    await claim(channel);
    await losing(async () => void (await ask(channel, 'never-called')));
    await ask(channel, 'called-later');
    expect([await claim(channel), await openFindings()]).toMatchObject([[{ userId: 'called-later' }], []]);
  });

  it('pays nothing through other channels either', async () => {
    const [called, other] = [await createChannel(URL_OF_SHOP), await createChannel(URL_OF_SHOP)];
    await losing(async () => {
      await ask(called, 'paid-before-the-loss');
      await claim(called);
    });
    await ask(other, 'paid-before-the-loss');
    expect([await claim(other), await openFindings()]).toMatchObject([[], [{ channelId: called.id }]]);
    await endFindings();
    expect(await claim(other)).toMatchObject([{ userId: 'paid-before-the-loss', attempt: 1 }]);
  });

  it('shows a channel again what it had read, under the same number, if it has lost only that it was read', async () => {
    const channel = await createChannel(undefined);
    const read = async () => (await books.readWaiting(channel.id)).items;
    const id = await ask(channel, 'read-before-the-loss');
    await losing(async () => void (await read()));
    expect(await read()).toEqual([]);
    await endFindings();
    expect(await read()).toMatchObject([{ id, attempt: 1 }]);
  });

  it('does not post an answer to a call that it has lost', async () => {
    const channel = await createChannel(URL_OF_SHOP);
    let lost: Call | undefined;
    await losing(async () => {
      await ask(channel, 'paid-before-the-loss');
      [lost] = await claim(channel);
    });
    expect(await ask(channel, 'another')).toBe(lost!.id);
    const paid = { kind: 'outcome', outcome: 'paid', externalId: 'T-1' } as const;
    await expect(books.answers.apply(lost!, paid)).rejects.toThrow('lost');
    expect((await books.payouts.read(lost!.id)).state).toBe('reserved');
  });

  describe('and a channel that has read them', () => {
    let channel: ChannelRow;
    let lost: string;
    const waiting = async () => (await books.readWaiting(channel.id)).items.map(({ id }) => id);
    const report = async (id: string) => {
      const outcomes = [{ id, outcome: 'paid' }] as const;
      const { results } = await books.reading.report(backEndOf(channel.id), outcomes);
      return results[0]!.result;
    };

    beforeEach(async () => {
      channel = await createChannel(undefined);
      await losing(async () => {
        lost = await ask(channel, 'read-before-the-loss');
        expect([await waiting(), await waiting()]).toEqual([[lost], [lost]]);
      });
    });

    it('gives it nothing to read until a person has ended the finding, and then nothing with an id that it knows', async () => {
      expect(await ask(channel, 'another')).toBe(lost);
      expect(await waiting()).toEqual([]);
      const [finding] = await openFindings();
      expect(finding).toMatchObject({ kind: 'calls-lost', detail: { calls: [{ id: lost, no: 1 }] } });
      await books.findings.end(FINANCE, finding!.id, 'Compared with the books of the shop.');
      const next = await ask(channel, 'next');
      expect([await waiting(), await report(lost), await report(next)]).toEqual([
        [next],
        'not-found',
        'applied',
      ]);
    });

    it('does not mistake a report about them for a report about another payout', async () => {
      expect(await ask(channel, 'another')).toBe(lost);
      expect([await report(lost), await openFindings()]).toMatchObject([
        'not-found',
        [{ kind: 'calls-lost' }],
      ]);
    });
  });
});
