import type { PayoutDto } from '../../src/extensions/payout/book/payout.dto';
import { PaidOutRepository } from '../../src/extensions/payout/gather/paid-out.repository';
import { UnsentRepository } from '../../src/extensions/payout/gather/unsent.repository';
import { SecondPerson } from '../../src/core/second-person';
import { OPERATOR } from '../harness/books';
import { waitFor } from '../harness/engines';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

const ALIKE = { kind: 'random', min: '1.00', max: '1.00' } as const;

proveBooks();
shareBooks({ APPROVAL_ABOVE_DAILY: '1000.00' });
afterEach(() => books.retireChannels());

/** Credits each user one unit of money in a new rain with this channel. */
async function win(channelId: string | undefined, ...userIds: string[]): Promise<string> {
  const payout = channelId === undefined ? undefined : { channelId };
  const activityId = await books.activity({ packets: userIds.length, split: ALIKE, payout });
  await books.settlement.settle(await books.claim(activityId, userIds));
  return activityId;
}

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

/** Makes credits that are held due at once. */
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
    const channelId = await books.createChannel();
    await win(channelId, 'ann', 'bob');
    await win(channelId, 'ann');
    await win(undefined, 'ann', 'bob');
    expect(await fates('ann')).toEqual(['unsent', 'unsent']);
    await books.sweepUnsent();
    expect([await amountsOf('ann'), await amountsOf('bob')]).toEqual([['2.00'], ['1.00']]);
    expect([await books.balance('ann'), await books.balance(channelId, 'outbound')]).toEqual([100n, 300n]);
    await books.sweepUnsent();
    expect(await amountsOf('ann')).toEqual(['2.00']);
    const [payout] = await payoutsOf('ann');
    expect((await books.payouts.read(payout!.id)).steps).toMatchObject([
      { state: 'reserved', detail: { claims: 2 } },
    ]);
  });

  it('are shown as credited, sent and paid, and as credited again after a return or a refusal', async () => {
    const channelId = await books.createChannel();
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
    await books.sweepUnsent();
    expect(await shown()).toEqual(['credited', 'sent']);
    await report('paid');
    expect(await shown()).toEqual(['credited', 'paid']);
    await report('returned');
    expect(await shown()).toEqual(['credited', 'credited']);
    const other = await win(channelId, 'liv');
    await books.sweepUnsent();
    expect((await books.wonPackets.findClaim(other, 'liv'))?.settlement).toBe('sent');
    await report('refused');
    expect((await books.wonPackets.findClaim(other, 'liv'))?.settlement).toBe('credited');
  });

  it('are listed for an export with the state of their payouts, or as unsent or released, in the order of packets', async () => {
    const channelId = await books.createChannel();
    const activityId = await win(channelId, 'leaves', 'withdraws', 'is-frozen');
    await books.askForPayout('withdraws', channelId, '1.00');
    await books.setStatus('is-frozen', 'frozen');
    await books.sweepUnsent();
    const list = async (afterPacketNo: number, limit: number) => {
      const rows = await books.serviceOf(PaidOutRepository).list(activityId, afterPacketNo, limit);
      return rows.map(({ userId, state }) => `${userId} ${state}`);
    };
    const all = ['leaves reserved', 'withdraws released', 'is-frozen unsent'];
    expect([await list(0, 10), await list(1, 1)]).toEqual([all, [all[1]]]);
  });

  it('are divided if one payout would exceed the largest, and wait if it would be below the smallest', async () => {
    const channelId = await books.createChannel({ smallest: '2.00', largest: '3.00', gatherSeconds: 1 });
    for (let rain = 0; rain < 7; rain += 1) await win(channelId, 'cem');
    await wake();
    await books.sweepUnsent();
    expect(await amountsOf('cem')).toEqual(['3.00', '3.00']);
    expect(await fates('cem')).toEqual([...Array<string>(6).fill('sent'), 'unsent']);
    await win(channelId, 'cem');
    await wake();
    await books.sweepUnsent();
    expect(await amountsOf('cem')).toEqual(['3.00', '3.00', '2.00']);
  });

  it('are gathered as long as the channel says, counted from the oldest', async () => {
    const channelId = await books.createChannel({ gatherSeconds: 3_600 });
    await win(channelId, 'dan');
    await books.sweepUnsent();
    expect(await fates('dan')).toEqual(['unsent']);
    await wake();
    await win(channelId, 'dan');
    await books.sweepUnsent();
    expect(await amountsOf('dan')).toEqual(['2.00']);
  });

  it('are released if the user has withdrawn the money by hand, and never paid twice', async () => {
    const channelId = await books.createChannel();
    await win(channelId, 'eve');
    await win(channelId, 'eve');
    await books.askForPayout('eve', channelId, '1.50');
    await books.sweepUnsent();
    expect(await fates('eve')).toEqual(['released', 'released']);
    expect([await amountsOf('eve'), await books.balance('eve')]).toEqual([['1.50'], 50n]);
  });

  it('wait once the daily limit of their user is reached, and leave on a later day', async () => {
    const channelId = await books.createChannel({ largest: '1.00', perUserPerDay: '2.00' });
    for (let rain = 0; rain < 3; rain += 1) await win(channelId, 'fay');
    await books.sweepUnsent();
    expect(await fates('fay')).toEqual(['sent', 'sent', 'unsent']);
    const more = books.askForPayout('fay', channelId, '0.01');
    await expect(more).rejects.toMatchObject({ code: 'payout.limit_reached' });
    await toYesterday('fay');
    await wake();
    await books.sweepUnsent();
    expect(await fates('fay')).toEqual(['sent', 'sent', 'sent']);
  });

  it('leave even if a fast clock has made them due days from now', async () => {
    const channelId = await books.createChannel({ gatherSeconds: 3_600 });
    await win(channelId, 'zoe');
    await books.dataSource.query(
      `update payout_credit set due_at = now() + interval '2 days' where channel_id = $1`,
      [channelId],
    );
    await books.sweepUnsent();
    expect(await fates('zoe')).toEqual(['sent']);
  });

  it('count towards the daily limit together with what has already left for their user, by hand or automatically', async () => {
    const channelId = await books.createChannel({ perUserPerDay: '2.00' });
    await books.deposit('ivy', 1_00n);
    await books.askForPayout('ivy', channelId, '1.00');
    await win(channelId, 'ivy');
    await books.sweepUnsent();
    await win(channelId, 'ivy');
    await books.sweepUnsent();
    expect([await amountsOf('ivy'), await fates('ivy')]).toEqual([
      ['1.00', '1.00'],
      ['sent', 'unsent'],
    ]);
    const more = books.askForPayout('ivy', channelId, '0.01');
    await expect(more).rejects.toMatchObject({ code: 'payout.limit_reached' });
  });

  it('wait while twenty payouts of their user are on their way, and leave as those end', async () => {
    const channelId = await books.createChannel({ largest: '1.00' });
    await books.deposit('max', 1_00n);
    const asked: PayoutDto[] = [];
    for (let i = 0; i < 19; i += 1) asked.push(await books.askForPayout('max', channelId, '0.01'));
    for (let rain = 0; rain < 2; rain += 1) await win(channelId, 'max');
    await books.sweepUnsent();
    expect(await fates('max')).toEqual(['sent', 'unsent']);
    await books.report(channelId, { id: asked[0]!.id, outcome: 'paid' });
    await wake();
    await books.sweepUnsent();
    expect(await fates('max')).toEqual(['sent', 'sent']);
  });

  it('are divided if one payout would exceed the daily limit of their user, and so leave eventually', async () => {
    const channelId = await books.createChannel({ perUserPerDay: '2.00' });
    for (let rain = 0; rain < 3; rain += 1) await win(channelId, 'kit');
    await books.sweepUnsent();
    expect([await amountsOf('kit'), await fates('kit')]).toEqual([['2.00'], ['sent', 'sent', 'unsent']]);
    await toYesterday('kit');
    await wake();
    await books.sweepUnsent();
    expect(await amountsOf('kit')).toEqual(['2.00', '1.00']);
  });

  it('are divided if one payout would exceed what their channel pays in a day, because it would never be sent', async () => {
    const channelId = await books.createChannel({ largest: '3.00', perDay: '2.00' });
    for (let rain = 0; rain < 3; rain += 1) await win(channelId, 'lou');
    await books.sweepUnsent();
    expect(await amountsOf('lou')).toEqual(['2.00', '1.00']);
  });

  it('are held while the wallet is frozen or the channel is paused', async () => {
    const channelId = await books.createChannel();
    await win(channelId, 'gus', 'hal');
    await books.setStatus('gus', 'frozen');
    await books.sweepUnsent();
    expect([await fates('gus'), await fates('hal')]).toEqual([['unsent'], ['sent']]);
    await books.setStatus('gus', 'active');
    await books.setPaused(channelId, true);
    await wake();
    await books.sweepUnsent();
    expect(await fates('gus')).toEqual(['unsent']);
    await books.setPaused(channelId, false);
    await books.sweepUnsent();
    expect(await fates('gus')).toEqual(['sent']);
  });

  it('are held if their channel is paused after the sweep has listed it', async () => {
    const channelId = await books.createChannel();
    await win(channelId, 'nia');
    const listing = jest.spyOn(UnsentRepository.prototype, 'channels').mockImplementationOnce(async () => {
      await books.setPaused(channelId, true);
      return [channelId];
    });
    await books.sweepUnsent();
    listing.mockRestore();
    expect(await fates('nia')).toEqual(['unsent']);
    await books.setPaused(channelId, false);
    await books.sweepUnsent();
    expect(await fates('nia')).toEqual(['sent']);
  });

  it('are tried again ten minutes later if they are held, including the time for which they are gathered', async () => {
    const channelId = await books.createChannel({ gatherSeconds: 60 });
    await win(channelId, 'ria');
    await books.setStatus('ria', 'frozen');
    await wake();
    await books.sweepUnsent();
    const [{ minutes }] = await books.dataSource.query<[{ minutes: string }]>(
      `select round(extract(epoch from due_at - now()) / 60) as minutes from payout_credit where channel_id = $1`,
      [channelId],
    );
    expect(minutes).toBe('9');
    await books.setStatus('ria', 'active');
    await wake();
    await books.sweepUnsent();
    expect(await fates('ria')).toEqual(['sent']);
  });

  it('are ordinary balance again after a refusal', async () => {
    const channelId = await books.createChannel();
    await win(channelId, 'ida');
    await books.sweepUnsent();
    const id = (await payoutsOf('ida'))[0]!.id;
    await books.report(channelId, { id, outcome: 'refused' });
    await wake();
    await books.sweepUnsent();
    expect([await amountsOf('ida'), await books.balance('ida')]).toEqual([['1.00'], 100n]);
    expect((await books.askForPayout('ida', channelId, '1.00')).state).toBe('reserved');
  });

  it('leave once if several sweeps run at once, even while users withdraw theirs by hand', async () => {
    const channelId = await books.createChannel({ largest: '2.00' });
    const users = Array.from({ length: 250 }, (_, i) => `crowd-${i}`);
    for (let rain = 0; rain < 3; rain += 1) await win(channelId, ...users);
    const byHand = users
      .slice(0, 10)
      .map((user) => books.askForPayout(user, channelId, '0.50').catch(() => undefined));
    await Promise.all([
      ...byHand,
      books.sweepUnsent(),
      books.sweepUnsent(),
      books.sweepUnsent(),
      books.sweepUnsent(),
    ]);
    const unsent = `select from payout_credit where channel_id = $1 and payout_id is null and released_at is null`;
    await waitFor(
      async () => {
        await books.sweepUnsent();
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
    const channelId = await books.createChannel();
    const users = Array.from({ length: 501 }, (_, i) => `many-${i}`);
    await win(channelId, ...users);
    await books.sweepUnsent();
    expect(await books.balance(channelId, 'outbound')).toBe(50_100n);
  });

  it('stay in the wallet if the program is stopping', async () => {
    await win(await books.createChannel(), 'pia');
    await books.sweepUnsent(AbortSignal.abort());
    expect(await fates('pia')).toEqual(['unsent']);
    await books.sweepUnsent();
    expect(await fates('pia')).toEqual(['sent']);
  });

  it('are released when their channel is deleted after the rain', async () => {
    const channelId = await books.createChannel();
    const activityId = await win(channelId, 'joe');
    const remove = () => books.channels.delete(OPERATOR, channelId);
    await expect(remove()).rejects.toMatchObject({ code: 'payout_channel.in_use' });
    await books.dataSource.transaction((tx) => books.closings.setClosed(tx, activityId, 'closed'));
    await remove();
    await books.sweepUnsent();
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
    const channelId = await books.createChannel();
    await books.setPaused(channelId, true);
    await expect(create(channelId, 200n)).rejects.toMatchObject({ code: 'payout_channel.paused' });
  });

  it('cannot have packets that the channel could not pay out, unless it gathers small credits', async () => {
    const unpayable = (detail: string) => ({
      code: 'activity.unpayable',
      detail: expect.stringContaining(detail),
    });
    const equal = (channelId: string, totalMinor: bigint) =>
      books.activity({ packets: 2, totalMinor, split: { kind: 'equal' }, payout: { channelId } });
    const picky = await books.createChannel({ smallest: '1.00', largest: '3.00' });
    await expect(create(picky, 200n)).rejects.toMatchObject(
      unpayable(`A packet may hold 0.01, and channel ${picky} pays out at least 1.00.`),
    );
    await expect(equal(picky, 198n)).rejects.toMatchObject(unpayable('may hold 0.99'));
    await expect(equal(picky, 602n)).rejects.toMatchObject(
      unpayable(`A packet may hold 3.01, and channel ${picky} pays out at most 3.00 to a user.`),
    );
    for (const totalMinor of [200n, 600n]) await equal(picky, totalMinor);
    const gathering = await books.createChannel({ smallest: '1.00', largest: '3.00', gatherSeconds: 60 });
    const activityId = await create(gathering, 200n);
    await expect(create(gathering, 302n)).rejects.toMatchObject(unpayable('at most 3.00'));
    await expect(books.topUp(activityId, { packets: 1, totalMinor: 301n })).rejects.toMatchObject(
      unpayable('at most 3.00'),
    );
    await books.topUp(activityId, { packets: 1, totalMinor: 300n });
    const thrifty = await books.createChannel({ perUserPerDay: '3.00' });
    await expect(create(thrifty, 302n)).rejects.toMatchObject(unpayable('at most 3.00'));
    const slow = await books.createChannel({ perDay: '3.00' });
    const twoDays = { packets: 2, totalMinor: 302n, payout: { channelId: slow, days: 2 } };
    await expect(books.activity(twoDays)).rejects.toMatchObject(unpayable('at most 3.00'));
  });

  it('needs a channel in its own currency', async () => {
    await books.addCurrency({ code: 'USD', kind: 'money', name: 'US dollar' });
    const channelId = await books.createChannel();
    await books.deposit('in-dollars', 100n, 'USD');
    const inDollars = { packets: 1, totalMinor: 100n, currency: 'USD', sponsorId: 'in-dollars' };
    await expect(books.activity({ ...inDollars, payout: { channelId } })).rejects.toMatchObject({
      code: 'request.invalid',
      fields: [
        { field: 'payout.channelId', message: 'must be a channel that pays out USD; this one pays out CNY' },
      ],
    });
  });

  it('pays out within its allowed days, and its top-up adds days only on request', async () => {
    const unpayable = { code: 'activity.unpayable' };
    const channelId = await books.createChannel({ perDay: '2.00' });
    const createFor = (days?: number) =>
      books.activity({
        packets: 2,
        totalMinor: 301n,
        split: { kind: 'random', max: '2.00' },
        payout: { channelId, days },
      });
    await expect(createFor()).rejects.toMatchObject({
      ...unpayable,
      detail: `3.01 takes 2 days: channel ${channelId} pays out 2.00 a day. Allow that many days, or take less.`,
    });
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
  const [lame, sound] = [await books.createChannel(), await books.createChannel()];
  await win(lame, 'behind-a-lame-channel');
  await win(sound, 'behind-a-sound-one');
  const zone = (name: string) =>
    books.dataSource.query(
      `update payout_channel set profile = jsonb_set(profile, '{timeZone}', to_jsonb($2::text)) where id = $1`,
      [lame, name],
    );
  await zone('US/Unknown');
  await expect(books.sweepUnsent()).rejects.toThrow('US/Unknown');
  expect([await fates('behind-a-lame-channel'), await fates('behind-a-sound-one')]).toEqual([
    ['unsent'],
    ['sent'],
  ]);
  await zone('UTC');
  await books.sweepUnsent();
  expect(await fates('behind-a-lame-channel')).toEqual(['sent']);
});

it('credits of a user of whom another deed is under way leave later, and nobody waits for them', async () => {
  const channelId = await books.createChannel();
  await win(channelId, 'spending', 'at-rest');
  const sum = { doneBy: 'spending', currency: books.currency, amountMinor: 1n };
  const release = await books.hold((tx) => books.serviceOf(SecondPerson).takeSoloSums(tx, [sum]));
  try {
    await books.sweepUnsent();
    expect([await fates('spending'), await fates('at-rest')]).toEqual([['unsent'], ['sent']]);
  } finally {
    await release();
  }
  await books.sweepUnsent();
  expect(await fates('spending')).toEqual(['sent']);
});
