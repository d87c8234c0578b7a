import type { ChannelProfileBody } from '../../src/extensions/payout/channel/channel.dto';
import type { PayoutDto } from '../../src/extensions/payout/book/payout.dto';
import { PaidOutRepository } from '../../src/extensions/payout/gather/paid-out.repository';
import { UnsentRepository } from '../../src/extensions/payout/gather/unsent.repository';
import { type Books, openBooks, requestOf } from '../harness/books';
import { waitFor } from '../harness/engines';

const ALIKE = { kind: 'random', min: '1.00', max: '1.00' } as const;

let books: Books;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ books, close } = await openBooks());
});

afterEach(async () => {
  expect(await books.broken()).toEqual([]);
  await books.retireChannels();
});

afterAll(() => close());

const asked = (userId: string) => requestOf(userId, 'user');
const operator = () => requestOf('operator', 'operator');

async function channelOf(profile: Partial<ChannelProfileBody> = {}): Promise<string> {
  const body = { name: 'Shop balance', profile: { smallest: '0.01', ...profile } };
  return (await books.channels.create(operator(), body)).id;
}

/** Credits each user one unit of money in a new rain with this channel. */
async function win(channelId: string | undefined, ...userIds: string[]): Promise<string> {
  const payout = channelId === undefined ? undefined : { channelId };
  const activityId = await books.activity({ packets: userIds.length, split: ALIKE, payout });
  await books.settlement.settle(await books.claim(activityId, userIds));
  return activityId;
}

const sweep = () => books.unsent.sweep(new AbortController().signal);

async function payoutsOf(userId: string): Promise<PayoutDto[]> {
  const { items } = await books.payoutLists.list({ userId, limit: 100 });
  return [...items].reverse();
}
const amountsOf = async (userId: string) => (await payoutsOf(userId)).map(({ amount }) => amount);

/** The fate of a user's credits in a rain with a channel, oldest first. */
async function fates(userId: string): Promise<string[]> {
  const rows = await books.dataSource.query<{ fate: string }[]>(
    `select case when payout_id is not null then 'sent' when released_at is not null then 'released' else 'unsent' end as fate
       from payout_credit join account on account.id = wallet_account_id where owner_id = $1 order by claim_id`,
    [userId],
  );
  return rows.map(({ fate }) => fate);
}

/** Lets credits that are held be looked at again. */
const wake = () =>
  books.dataSource.query(
    `update payout_credit set due_at = '-infinity' where payout_id is null and released_at is null`,
  );

/** Moves everything that a user has withdrawn so far to the day before. */
async function toYesterday(userId: string): Promise<void> {
  for (const table of ['payout', 'payout_day'])
    await books.dataSource.query(`update ${table} set day = day - 1 where user_id = $1`, [userId]);
}

describe('the credits of a rain with a channel', () => {
  it('leave in one payout per user, and those of other rains stay in the wallet', async () => {
    const channelId = await channelOf();
    await win(channelId, 'ann', 'bob');
    await win(channelId, 'ann');
    await win(undefined, 'ann', 'bob');
    expect(await fates('ann')).toEqual(['unsent', 'unsent']);
    await sweep();
    expect([await amountsOf('ann'), await amountsOf('bob')]).toEqual([['2.00'], ['1.00']]);
    expect([await books.balance('ann'), await books.balance(channelId, 'outbound')]).toEqual([100n, 300n]);
    await sweep();
    expect(await amountsOf('ann')).toEqual(['2.00']);
    const [payout] = await payoutsOf('ann');
    expect((await books.payouts.read(payout!.id)).steps).toMatchObject([
      { state: 'reserved', detail: { claims: 2 } },
    ]);
  });

  it('are shown as credited, sent and paid, and as credited again after a return or a refusal', async () => {
    const channelId = await channelOf();
    const activityId = await win(channelId, 'liv');
    await win(undefined, 'liv');
    const shown = async () => {
      const { paid } = await books.wonPackets.listOfUser('liv', 'CNY', {}, 10);
      const [inList] = await books.wonPackets.listOfActivity(activityId, 0, 10);
      const found = await books.wonPackets.findClaim(activityId, 'liv');
      const mine = paid.rows.map(({ settlement }) => settlement);
      expect([inList?.settlement, found?.settlement]).toEqual([mine[1], mine[1]]);
      return mine;
    };
    const report = async (outcome: 'paid' | 'refused' | 'returned') => {
      const { id } = (await payoutsOf('liv')).at(-1)!;
      await books.report(channelId, { id, outcome });
    };
    expect(await shown()).toEqual(['credited', 'credited']);
    await sweep();
    expect(await shown()).toEqual(['credited', 'sent']);
    await report('paid');
    expect(await shown()).toEqual(['credited', 'paid']);
    await report('returned');
    expect(await shown()).toEqual(['credited', 'credited']);
    const other = await win(channelId, 'liv');
    await sweep();
    expect((await books.wonPackets.findClaim(other, 'liv'))?.settlement).toBe('sent');
    await report('refused');
    expect((await books.wonPackets.findClaim(other, 'liv'))?.settlement).toBe('credited');
  });

  it('are listed for an export with the state of their payouts, or as unsent or released, in the order of packets', async () => {
    const channelId = await channelOf();
    const activityId = await win(channelId, 'leaves', 'withdraws', 'is-frozen');
    await books.asks.ask(asked('withdraws'), { amount: '1.00', channelId });
    await books.setStatus('is-frozen', 'frozen');
    await sweep();
    const list = async (afterPacketNo: number, limit: number) => {
      const rows = await books.serviceOf(PaidOutRepository).list(activityId, afterPacketNo, limit);
      return rows.map(({ userId, state }) => `${userId} ${state}`);
    };
    const all = ['leaves reserved', 'withdraws released', 'is-frozen unsent'];
    expect([await list(0, 10), await list(1, 1)]).toEqual([all, [all[1]]]);
  });

  it('are divided if one payout would exceed the largest, and wait if it would be below the smallest', async () => {
    const channelId = await channelOf({ smallest: '2.00', largest: '3.00', gatherSeconds: 1 });
    for (let rain = 0; rain < 7; rain += 1) await win(channelId, 'cem');
    await wake();
    await sweep();
    expect(await amountsOf('cem')).toEqual(['3.00', '3.00']);
    expect(await fates('cem')).toEqual([...Array<string>(6).fill('sent'), 'unsent']);
    await win(channelId, 'cem');
    await wake();
    await sweep();
    expect(await amountsOf('cem')).toEqual(['3.00', '3.00', '2.00']);
  });

  it('are gathered as long as the channel says, counted from the oldest', async () => {
    const channelId = await channelOf({ gatherSeconds: 3_600 });
    await win(channelId, 'dan');
    await sweep();
    expect(await fates('dan')).toEqual(['unsent']);
    await wake();
    await win(channelId, 'dan');
    await sweep();
    expect(await amountsOf('dan')).toEqual(['2.00']);
  });

  it('are released if the user has withdrawn the money by hand, and never paid twice', async () => {
    const channelId = await channelOf();
    await win(channelId, 'eve');
    await win(channelId, 'eve');
    await books.asks.ask(asked('eve'), { amount: '1.50', channelId });
    await sweep();
    expect(await fates('eve')).toEqual(['released', 'released']);
    expect([await amountsOf('eve'), await books.balance('eve')]).toEqual([['1.50'], 50n]);
  });

  it('wait when the daily limit of their user is reached, and leave on a later day', async () => {
    const channelId = await channelOf({ largest: '1.00', perUserPerDay: '2.00' });
    for (let rain = 0; rain < 3; rain += 1) await win(channelId, 'fay');
    await sweep();
    expect(await fates('fay')).toEqual(['sent', 'sent', 'unsent']);
    const more = books.asks.ask(asked('fay'), { amount: '0.01', channelId });
    await expect(more).rejects.toMatchObject({ code: 'payout.limit_reached' });
    await toYesterday('fay');
    await wake();
    await sweep();
    expect(await fates('fay')).toEqual(['sent', 'sent', 'sent']);
  });

  it('leave even if a clock that was ahead has made them due days from now', async () => {
    const channelId = await channelOf({ gatherSeconds: 3_600 });
    await win(channelId, 'zoe');
    await books.dataSource.query(
      `update payout_credit set due_at = now() + interval '2 days' where channel_id = $1`,
      [channelId],
    );
    await sweep();
    expect(await fates('zoe')).toEqual(['sent']);
  });

  it('count what has already left for their user on that day, by hand or automatically', async () => {
    const channelId = await channelOf({ perUserPerDay: '2.00' });
    await books.deposit('ivy', 1_00n);
    await books.asks.ask(asked('ivy'), { amount: '1.00', channelId });
    await win(channelId, 'ivy');
    await sweep();
    await win(channelId, 'ivy');
    await sweep();
    expect([await amountsOf('ivy'), await fates('ivy')]).toEqual([
      ['1.00', '1.00'],
      ['sent', 'unsent'],
    ]);
    const more = books.asks.ask(asked('ivy'), { amount: '0.01', channelId });
    await expect(more).rejects.toMatchObject({ code: 'payout.limit_reached' });
  });

  it('are divided if one payout would exceed the daily limit of their user, and so leave eventually', async () => {
    const channelId = await channelOf({ perUserPerDay: '2.00' });
    for (let rain = 0; rain < 3; rain += 1) await win(channelId, 'kit');
    await sweep();
    expect([await amountsOf('kit'), await fates('kit')]).toEqual([['2.00'], ['sent', 'sent', 'unsent']]);
    await toYesterday('kit');
    await wake();
    await sweep();
    expect(await amountsOf('kit')).toEqual(['2.00', '1.00']);
  });

  it('are divided if one payout would exceed what their channel pays in a day, because it would never be sent', async () => {
    const channelId = await channelOf({ largest: '3.00', perDay: '2.00' });
    for (let rain = 0; rain < 3; rain += 1) await win(channelId, 'lou');
    await sweep();
    expect(await amountsOf('lou')).toEqual(['2.00', '1.00']);
  });

  it('are held while the wallet is frozen or the channel is paused', async () => {
    const channelId = await channelOf();
    await win(channelId, 'gus', 'hal');
    await books.setStatus('gus', 'frozen');
    await sweep();
    expect([await fates('gus'), await fates('hal')]).toEqual([['unsent'], ['sent']]);
    await books.setStatus('gus', 'active');
    await books.channels.change({ userId: 'operator', role: 'operator' }, channelId, { paused: true });
    await wake();
    await sweep();
    expect(await fates('gus')).toEqual(['unsent']);
    await books.channels.change({ userId: 'operator', role: 'operator' }, channelId, { paused: false });
    await sweep();
    expect(await fates('gus')).toEqual(['sent']);
  });

  it('are held if their channel is paused after the sweep has listed it', async () => {
    const channelId = await channelOf();
    await win(channelId, 'nia');
    const pause = (paused: boolean) =>
      books.channels.change({ userId: 'operator', role: 'operator' }, channelId, { paused });
    const listing = jest.spyOn(UnsentRepository.prototype, 'channels').mockImplementationOnce(async () => {
      await pause(true);
      return [channelId];
    });
    await sweep();
    listing.mockRestore();
    expect(await fates('nia')).toEqual(['unsent']);
    await pause(false);
    await sweep();
    expect(await fates('nia')).toEqual(['sent']);
  });

  it('are looked at again ten minutes later if they are held, with the time in which they are gathered', async () => {
    const channelId = await channelOf({ gatherSeconds: 60 });
    await win(channelId, 'ria');
    await books.setStatus('ria', 'frozen');
    await wake();
    await sweep();
    const [{ minutes }] = await books.dataSource.query<[{ minutes: string }]>(
      `select round(extract(epoch from due_at - now()) / 60) as minutes from payout_credit where channel_id = $1`,
      [channelId],
    );
    expect(minutes).toBe('9');
    await books.setStatus('ria', 'active');
    await wake();
    await sweep();
    expect(await fates('ria')).toEqual(['sent']);
  });

  it('are ordinary balance again after a refusal', async () => {
    const channelId = await channelOf();
    await win(channelId, 'ida');
    await sweep();
    const id = (await payoutsOf('ida'))[0]!.id;
    await books.report(channelId, { id, outcome: 'refused' });
    await wake();
    await sweep();
    expect([await amountsOf('ida'), await books.balance('ida')]).toEqual([['1.00'], 100n]);
    expect((await books.asks.ask(asked('ida'), { amount: '1.00', channelId })).state).toBe('reserved');
  });

  it('leave once if several sweeps run at once, even while users withdraw theirs by hand', async () => {
    const channelId = await channelOf({ largest: '2.00' });
    const users = Array.from({ length: 250 }, (_, i) => `crowd-${i}`);
    for (let rain = 0; rain < 3; rain += 1) await win(channelId, ...users);
    const byHand = users
      .slice(0, 10)
      .map((user) => books.asks.ask(asked(user), { amount: '0.50', channelId }).catch(() => undefined));
    await Promise.all([...byHand, sweep(), sweep(), sweep(), sweep()]);
    const unsent = `select from payout_credit where channel_id = $1 and payout_id is null and released_at is null`;
    await waitFor(
      async () => {
        await sweep();
        return (await books.dataSource.query<unknown[]>(unsent, [channelId])).length === 0;
      },
      { what: 'the last credit to leave' },
    );
    const out = await books.dataSource.query<{ payout: string; credits: string }[]>(
      `select amount_minor as payout, (select sum(amount_minor) from payout_credit where payout_id = payout.id) as credits
         from payout where channel_id = $1 and amount_minor <> 50`,
      [channelId],
    );
    expect(out.filter(({ payout, credits }) => payout !== credits)).toEqual([]);
    const [{ held }] = (await books.dataSource.query<{ held: string }[]>(
      `select sum(balance_minor) as held from account where owner_id = any($1::text[]) and kind <> 'escrow'`,
      [[...users, channelId]],
    )) as [{ held: string }];
    expect(held).toBe('75000');
  });

  it('leave in one sweep, even if they are more than one transaction takes', async () => {
    const channelId = await channelOf();
    const users = Array.from({ length: 501 }, (_, i) => `many-${i}`);
    await win(channelId, ...users);
    await sweep();
    expect(await books.balance(channelId, 'outbound')).toBe(50_100n);
  });

  it('stay in the wallet if the program is stopping', async () => {
    await win(await channelOf(), 'pia');
    await books.unsent.sweep(AbortSignal.abort());
    expect(await fates('pia')).toEqual(['unsent']);
    await sweep();
    expect(await fates('pia')).toEqual(['sent']);
  });

  it('are released when their channel is deleted after the rain', async () => {
    const channelId = await channelOf();
    const activityId = await win(channelId, 'joe');
    const remove = () => books.channels.delete({ userId: 'operator', role: 'operator' }, channelId);
    await expect(remove()).rejects.toMatchObject({ code: 'payout_channel.in_use' });
    await books.dataSource.transaction((tx) => books.closings.setClosed(tx, activityId, 'closed'));
    await remove();
    await sweep();
    expect([await fates('joe'), await books.balance('joe')]).toEqual([['released'], 100n]);
  });

  it('end only once: a credit that has left or was released never changes', async () => {
    const change = (set: string) => books.dataSource.query(`update payout_credit set ${set}`);
    await expect(change('released_at = now()')).rejects.toThrow('never changed');
    await expect(change('payout_id = 1')).rejects.toThrow('never changed');
    await expect(books.dataSource.query('delete from payout_credit')).rejects.toThrow('never changed');
  });
});

describe('an activity with a channel', () => {
  const create = (channelId: string, totalMinor: bigint, packets = 2) =>
    books.activity({ packets, totalMinor, split: { kind: 'random' }, payout: { channelId } });

  it('needs a channel that exists and is not paused', async () => {
    await expect(create('999999', 200n)).rejects.toMatchObject({ code: 'payout_channel.not_found' });
    const channelId = await channelOf();
    await books.channels.change({ userId: 'operator', role: 'operator' }, channelId, { paused: true });
    await expect(create(channelId, 200n)).rejects.toMatchObject({ code: 'payout_channel.paused' });
  });

  it('cannot have packets that the channel could not pay out, unless it gathers small credits', async () => {
    const unpayable = { code: 'activity.unpayable' };
    const picky = await channelOf({ smallest: '1.00', largest: '3.00' });
    await expect(create(picky, 200n)).rejects.toMatchObject(unpayable);
    const gathering = await channelOf({ smallest: '1.00', largest: '3.00', gatherSeconds: 60 });
    const activityId = await create(gathering, 200n);
    await expect(create(gathering, 302n)).rejects.toMatchObject(unpayable);
    await expect(books.topUp(activityId, { packets: 1, totalMinor: 301n })).rejects.toMatchObject(unpayable);
    await books.topUp(activityId, { packets: 1, totalMinor: 300n });
    const thrifty = await channelOf({ perUserPerDay: '3.00' });
    await expect(create(thrifty, 302n)).rejects.toMatchObject(unpayable);
    const slow = await channelOf({ perDay: '3.00' });
    const twoDays = { packets: 2, totalMinor: 302n, payout: { channelId: slow, days: 2 } };
    await expect(books.activity(twoDays)).rejects.toMatchObject(unpayable);
  });

  it('pays out within its allowed days, and its top-up adds days only on request', async () => {
    const unpayable = { code: 'activity.unpayable' };
    const channelId = await channelOf({ perDay: '2.00' });
    const createFor = (days?: number) =>
      books.activity({
        packets: 2,
        totalMinor: 301n,
        split: { kind: 'random', max: '2.00' },
        payout: { channelId, days },
      });
    await expect(createFor()).rejects.toMatchObject(unpayable);
    await expect(createFor(1)).rejects.toMatchObject(unpayable);
    const activityId = await createFor(2);
    await books.topUp(activityId, { packets: 1, totalMinor: 99n });
    const addOne = (payoutDays?: number) =>
      books.topUp(activityId, { packets: 1, totalMinor: 1n, payoutDays });
    await expect(addOne()).rejects.toMatchObject(unpayable);
    await addOne(3);
  });
});

it('credits of other channels leave even if the steps of one channel fail', async () => {
  const [lame, sound] = [await channelOf(), await channelOf()];
  await win(lame, 'behind-a-lame-channel');
  await win(sound, 'behind-a-sound-one');
  const zone = (name: string) =>
    books.dataSource.query(
      `update payout_channel set profile = jsonb_set(profile, '{timeZone}', to_jsonb($2::text)) where id = $1`,
      [lame, name],
    );
  await zone('US/Unknown');
  await expect(sweep()).rejects.toThrow('US/Unknown');
  expect([await fates('behind-a-lame-channel'), await fates('behind-a-sound-one')]).toEqual([
    ['unsent'],
    ['sent'],
  ]);
  await zone('UTC');
  await sweep();
  expect(await fates('behind-a-lame-channel')).toEqual(['sent']);
});
