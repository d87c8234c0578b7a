import type { ChannelRow } from '../../src/extensions/payout/channel/channel.entity';
import { ApprovalSweep } from '../../src/extensions/approval/approval-sweep';
import { PayoutWatch } from '../../src/extensions/payout/watch/payout-watch';
import { ReviewSweep } from '../../src/extensions/payout/book/review-sweep';
import { CommitmentService } from '../../src/extensions/fairness/commitment.service';
import { CommitmentSweep } from '../../src/extensions/fairness/commitment-sweep';
import { SeriesService } from '../../src/extensions/series/series.service';
import { SeriesSweep } from '../../src/extensions/series/series-sweep';
import { Metrics } from '../../src/platform/telemetry';
import { requestOf } from '../harness/books';
import { createChannel } from '../harness/channel-calls';
import { waitFor } from '../harness/engines';
import { books, expectProven, rain } from '../harness/shared-books';
import { clock, shareSteppedRain, steppedRain, test } from '../harness/stepped-rain';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const SETTINGS = { WEBHOOK_PRIVATE_ADDRESSES: 'true', APPROVAL_ABOVE: '50.00' };

/** Only Postgres has the clock that is set. Redis uses the clock of the host. */
shareSteppedRain((clock) => steppedRain(clock, { settings: SETTINGS }));

afterEach(async () => {
  clock?.set(0);
  if (clock) await expectProven(['I18']);
});

async function ask({ id: channelId }: ChannelRow, userId: string, amount = '1.00'): Promise<string> {
  await books.deposit(userId, books.currency.parse(amount));
  return (await books.askForPayout(userId, channelId, amount)).id;
}

const called = async (channel: ChannelRow) => (await books.calls.take(channel)).map(({ userId }) => userId);

const metric = async (series: string) => {
  const text = await books.serviceOf(Metrics).expose();
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length));
};

describe('after the clock of Postgres was ahead and has been corrected', () => {
  for (const [ahead, aheadMs] of [
    ['two hours', 2 * HOUR_MS],
    ['three days', 3 * DAY_MS],
  ] as const)
    test(`payouts that were requested while it was ${ahead} ahead are sent at once`, async (clock) => {
      const channel = await createChannel();
      clock.set(aheadMs);
      await ask(channel, `asked ${ahead} ahead`);
      clock.set(0);
      expect(await called(channel)).toEqual([`asked ${ahead} ahead`]);
    });

  test('a circuit that was opened three days ahead lets a probe through, and a hold of one second ends', async (clock) => {
    const [broken, full] = [await createChannel(), await createChannel()];
    clock.set(3 * DAY_MS);
    for (const channel of [broken, full]) await ask(channel, `through ${channel.id}`);
    for (const call of await books.calls.take(broken))
      await books.answers.apply(call, { kind: 'misconfigured', reason: 'answered 401' });
    for (const call of await books.calls.take(full))
      await books.answers.apply(call, { kind: 'full', reason: '429', stops: 'calls', waitSeconds: 1 });
    await books.calls.take(full);
    clock.set(0);
    await waitFor(async () => (await called(broken)).length > 0, { what: 'a probe', timeoutMs: 30_000 });
    await books.calls.take(full);
    const [{ held }] = await books.dataSource.query<[{ held: number }]>(
      `select extract(epoch from held_until - now())::float8 as held from payout_pace where channel_id = $1`,
      [full.id],
    );
    expect(held).toBeLessThanOrEqual(1);
  });

  test('no day pays perDay twice', async (clock) => {
    const channel = await createChannel({ perDay: '1.00' });
    const paid = [];
    for (const days of [0, 2, 0, 1, 0, 2]) {
      clock.set(days * DAY_MS);
      await ask(channel, `walker-${paid.length}`);
      await books.dataSource.query(`update payout_pace set filled_at = now() - interval '1 minute'`);
      paid.push((await books.calls.take(channel)).filter(({ method }) => method === 'PUT').length);
    }
    expect(paid).toEqual([1, 1, 0, 1, 0, 0]);
  });

  test('credits from that time leave, and the age of payouts is never negative', async (clock) => {
    const channel = await createChannel();
    const split = { kind: 'random', min: '1.00', max: '1.00' } as const;
    const activityId = await books.activity({ packets: 1, split, payout: { channelId: channel.id } });
    clock.set(2 * DAY_MS);
    await books.settlement.settle(await books.claim(activityId, ['winner']));
    await ask(channel, 'asker');
    clock.set(0);
    await books.serviceOf(PayoutWatch).measure();
    expect(
      await metric(`hongbao_payouts_oldest_seconds{channel="${channel.id}",state="reserved"}`),
    ).toBeGreaterThanOrEqual(0);
    await books.sweepUnsent();
    await books.dataSource.query(`update payout_pace set filled_at = now() - interval '1 minute'`);
    expect((await called(channel)).sort()).toEqual(['asker', 'winner']);
  });

  test('a request from that time does not wait for its second person longer than any other', async (clock) => {
    const channel = await createChannel();
    clock.set(3 * DAY_MS);
    const id = await ask(channel, 'wishes', '60.00');
    clock.set(0);
    await rain.worker.get(ApprovalSweep).sweep();
    const [approval] = await books.dataSource.query<{ isPending: boolean }[]>(
      `select status = 'pending' and expires_at between now() and now() + interval '1 day' as "isPending"
         from approval where source_id = $1`,
      [id],
    );
    expect(approval).toEqual({ isPending: true });
  });

  test('an occurrence of a series that is over only by that clock is not missed, and a change does not end it', async (clock) => {
    const api = await rain.openApi();
    const body = {
      name: 'Daily',
      sponsorId: 'serial',
      totalAmount: '1.00',
      packetCount: 2,
      split: { kind: 'equal' },
      rrule: 'FREQ=DAILY',
      timeZone: 'UTC',
      start: new Date(Date.now() + HOUR_MS).toISOString().slice(0, 19),
      durationSeconds: 60,
      count: 9,
    } as const;
    const series = api.get(SeriesService);
    const marketing = () => requestOf('marketing', 'campaign');
    const { id } = await series.create(marketing(), body);
    clock.set(3 * DAY_MS);
    await api.get(SeriesSweep).sweep(new AbortController().signal);
    await series.pause(marketing(), id);
    await series.resume(marketing(), id);
    clock.set(0);
    expect((await series.listOccurrences(id, { limit: 9 })).items).toEqual([]);
    expect((await series.read(id)).next?.opensAt).toBe(`${body.start}.000Z`);
  });

  test('the seed of a creation that has expired only by that clock is kept', async (clock) => {
    const api = await rain.openApi();
    const { commitment } = await api.get(CommitmentService).create(requestOf('marketing', 'campaign'));
    clock.set(3 * DAY_MS);
    await rain.worker.get(CommitmentSweep).sweep();
    clock.set(0);
    const kept = `select from seed_commitment where commitment = decode($1, 'hex')`;
    expect(await books.dataSource.query(kept, [commitment])).toHaveLength(1);
  });

  test('reviews that lapsed only by that clock still wait for their second person', async (clock) => {
    const channel = await createChannel();
    const id = await ask(channel, 'reviewed', '60.00');
    clock.set(3 * DAY_MS);
    await rain.worker.get(ReviewSweep).sweep(new AbortController().signal);
    clock.set(0);
    expect((await books.payouts.read(id)).state).toBe('review');
  });
});
