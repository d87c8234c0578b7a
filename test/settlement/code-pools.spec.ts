import { Readable } from 'node:stream';
import fc from 'fast-check';
import { redPacketId } from '../../libs/red-packet-id';
import { CodePoolRepository } from '../../src/extensions/code-pool/code-pool.repository';
import { CodePoolService } from '../../src/extensions/code-pool/code-pool.service';
import { CodeReturnSweep } from '../../src/extensions/code-pool/code-return-sweep';
import { CodeUploadService } from '../../src/extensions/code-pool/code-upload.service';
import { WonCodeService } from '../../src/extensions/code-pool/won-code.service';
import { requestOf, reservationOf } from '../harness/books';
import { codeOf } from '../harness/problems';
import { books, rain, shareRain } from '../harness/shared-books';

shareRain();

const OPERATOR = requestOf('operator', 'operator');
const EQUAL = { kind: 'equal' } as const;
let serial = 0;

/** A pool, and the rains that give its codes. */
class Pool {
  /** Packet → the code that its winner has seen. */
  readonly seen = new Map<string, string>();
  private readonly open: { readonly id: string; packets: number; readonly left: number[] }[] = [];

  private constructor(
    readonly id: string,
    readonly currency: string,
    readonly sponsorId: string,
  ) {}

  static async make(): Promise<Pool> {
    const sponsorId = `giver-${(serial += 1)}`;
    const body = { name: 'Vouchers', sponsorId };
    const request = requestOf('operator', 'operator');
    const { id, currency } = await books.serviceOf(CodePoolService).create(request, body);
    return new Pool(id, currency, sponsorId);
  }

  async upload(count: number): Promise<void> {
    const codes = Array.from({ length: count }, () => `code-${(serial += 1)}`);
    const file = Readable.from([Buffer.from(codes.join('\n'))]);
    const request = requestOf('operator', 'operator');
    await books.serviceOf(CodeUploadService).upload(request, this.id, 'csv', file);
  }

  async begin(packets: number): Promise<void> {
    const { sponsorId, currency } = this;
    const wish = { packets, totalMinor: BigInt(packets), sponsorId, currency, split: EQUAL };
    const id = await books.activity(wish);
    this.open.push({ id, packets, left: Array.from({ length: packets }, (_, i) => i + 1) });
  }

  async add(which: number, packets: number): Promise<void> {
    const chosen = this.chosen(which);
    if (!chosen) return;
    await books.topUp(chosen.id, { packets, totalMinor: BigInt(packets), split: EQUAL });
    chosen.left.push(...Array.from({ length: packets }, (_, i) => chosen.packets + i + 1));
    chosen.packets += packets;
  }

  /** A new user wins one of the packets that are left. */
  async win(which: number, at: number): Promise<void> {
    const chosen = this.chosen(which);
    const [no] = chosen?.left.splice(at % chosen.left.length, 1) ?? [];
    if (!chosen || no === undefined) return;
    const user = `winner-${(serial += 1)}`;
    await books.settleConfirmed(await books.claims.confirm([reservationOf(chosen.id, user, no)]));
    const { code } = await books.serviceOf(WonCodeService).show(user, redPacketId(chosen.id, no));
    this.seen.set(`${chosen.id}/${no}`, code);
  }

  async end(which: number): Promise<void> {
    const chosen = this.chosen(which);
    if (!chosen) return;
    this.open.splice(this.open.indexOf(chosen), 1);
    await rain.end(chosen.id);
  }

  async counts() {
    const { uploaded, free, reserved, shown } = await books
      .serviceOf(CodePoolService)
      .read(OPERATOR.caller, this.id);
    return { uploaded, free, reserved, shown };
  }

  get expected() {
    const held = this.open.reduce((sum, { left }) => sum + left.length, 0);
    return { reserved: held, shown: this.seen.size };
  }

  private chosen(which: number) {
    return this.open[which % this.open.length];
  }
}

const sweep = () => rain.worker.get(CodeReturnSweep).sweep(new AbortController().signal);

it('whatever is uploaded, given, added, won and returned, no code is given twice and none is lost', async () => {
  const number = fc.nat({ max: 9 });
  const step = fc.record({
    kind: fc.constantFrom('upload', 'begin', 'add', 'win', 'win', 'win', 'end', 'sweep'),
    which: number,
    count: number,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), async (steps) => {
      const pool = await Pool.make();
      await pool.upload(12);
      const run: Record<(typeof steps)[number]['kind'], (which: number, count: number) => Promise<unknown>> =
        {
          upload: (_, count) => pool.upload(count + 1),
          begin: (_, count) => pool.begin(count + 1),
          add: (which, count) => pool.add(which, count + 1),
          win: (which, count) => pool.win(which, count),
          end: (which) => pool.end(which),
          sweep,
        };
      for (const { kind, which, count } of steps) {
        const answer = await codeOf(run[kind](which, count));
        expect(['done', 'code_pool.too_few_codes']).toContain(answer);
        const { uploaded, free, ...rest } = await pool.counts();
        expect([kind, rest, free]).toEqual([kind, pool.expected, uploaded - rest.reserved - rest.shown]);
        expect(new Set(pool.seen.values()).size).toBe(pool.seen.size);
      }
    }),
    { numRuns: 15 },
  );
  expect(await books.broken()).toEqual([]);
});

it('rains that begin at once, while others end and a sweep returns their codes, share none', async () => {
  const pool = await Pool.make();
  await pool.upload(30);
  for (let round = 0; round < 5; round += 1) {
    const begun = await Promise.allSettled([
      ...Array.from({ length: 5 }, () => pool.begin(6)),
      pool.end(0),
      pool.end(1),
      sweep(),
    ]);
    const refusals = begun.flatMap((one) =>
      one.status === 'rejected' ? [(one.reason as { code: string }).code] : [],
    );
    expect(new Set([...refusals, 'code_pool.too_few_codes', 'wallet.insufficient_funds']).size).toBe(2);
    await pool.win(round, round);
    expect(await books.broken()).toEqual([]);
  }
  expect(pool.seen.size).toBe(5);
  expect(new Set(pool.seen.values()).size).toBe(5);
});

it('codes return to a pool even if another pool is locked, and only once if several sweeps return them', async () => {
  const pools = [await Pool.make(), await Pool.make()];
  for (const pool of pools) {
    await pool.upload(2);
    await pool.begin(2);
    await pool.end(0);
  }
  const owed = async () => (await books.serviceOf(CodePoolRepository).owed()).map(({ poolId }) => poolId);
  const [first] = await owed();
  const locked = jest
    .spyOn(CodePoolRepository.prototype, 'lock')
    .mockRejectedValueOnce(new Error('somebody keeps the row locked'));
  await expect(sweep()).rejects.toThrow('somebody keeps the row locked');
  locked.mockRestore();
  expect(await owed()).toEqual([first]);
  await Promise.all([sweep(), sweep()]);
  expect(await owed()).toEqual([]);
  for (const pool of pools) expect(await pool.counts()).toMatchObject({ uploaded: 2, free: 2, reserved: 0 });
});

it('a pool names the activities that give its codes, and no others', async () => {
  const [pool, other] = [await Pool.make(), await Pool.make()];
  const ids: string[] = [];
  for (const { id, sponsorId, currency } of [pool, other, pool]) {
    await (id === pool.id ? pool : other).upload(1);
    ids.push(await books.activity({ packets: 1, totalMinor: 1n, sponsorId, currency, split: EQUAL }));
  }
  const { activities } = await books.serviceOf(CodePoolService).read(OPERATOR.caller, pool.id);
  expect(activities.map(({ activityId }) => activityId)).toEqual([ids[2], ids[0]]);
});

describe('an activity that gives codes', () => {
  let pool: Pool;
  beforeAll(async () => {
    pool = await Pool.make();
    await pool.upload(4);
  });

  const begin = (wish: { sponsorId?: string; packets?: number; totalMinor?: bigint; split?: object }) => {
    const { packets = 2, totalMinor = BigInt(packets) } = wish;
    const own = { sponsorId: pool.sponsorId, currency: pool.currency, split: EQUAL };
    return books.activity({ ...own, ...wish, packets, totalMinor } as Parameters<typeof books.activity>[0]);
  };

  it.each<[string, Parameters<typeof begin>[0], string, RegExp]>([
    [
      'of another sponsor',
      { sponsorId: 'stranger' },
      'currency',
      /^must not be .*: only the sponsor of pool/,
    ],
    [
      'of packets that differ',
      { split: { kind: 'random' } },
      'split.kind',
      /^must be equal: each packet gives one code$/,
    ],
    [
      'of more codes than packets',
      { totalMinor: 4n },
      'totalAmount',
      /^must be 2: each packet gives one code$/,
    ],
  ])('is refused if it is %s', async (_, wish, field, message) => {
    await expect(begin(wish)).rejects.toMatchObject({
      code: 'request.invalid',
      fields: [{ field, message: expect.stringMatching(message) }],
    });
  });

  it('is refused if its pool has too few, which says how many there are', async () => {
    await expect(begin({ packets: 5 })).rejects.toMatchObject({
      code: 'code_pool.too_few_codes',
      detail: `Pool ${pool.id} has 4 free codes, and 5 are needed. Upload more, or give fewer.`,
    });
    expect(await pool.counts()).toMatchObject({ free: 4, reserved: 0 });
  });

  it('gets codes back that an ended activity still has, if its pool has too few without them', async () => {
    await pool.begin(3);
    await pool.end(0);
    expect(await codeOf(begin({ packets: 4 }))).toBe('done');
    expect(await pool.counts()).toMatchObject({ free: 0, reserved: 4 });
    expect(await books.broken()).toEqual([]);
  });
});

describe('a code', () => {
  let activityId: string;
  let currency: string;
  beforeAll(async () => {
    const pool = await Pool.make();
    await pool.upload(4);
    const { sponsorId } = pool;
    ({ currency } = pool);
    activityId = await books.activity({ packets: 4, totalMinor: 4n, sponsorId, currency, split: EQUAL });
  });

  const confirm = (userId: string, no: number) =>
    books.claims.confirm([reservationOf(activityId, userId, no)]);
  const show = (userId: string, id: string) => books.serviceOf(WonCodeService).show(userId, id);
  const notFound = (id: string) => ({
    code: 'code.not_found',
    detail: `You hold no packet ${id} that gives a code.`,
  });

  it('is shown to its winner once it is credited, and to nobody else, before and after', async () => {
    const id = redPacketId(activityId, 1);
    for (const user of ['ann', 'eve']) await expect(show(user, id)).rejects.toMatchObject(notFound(id));
    const won = await confirm('ann', 1);
    await expect(show('ann', id)).rejects.toMatchObject({
      code: 'code.not_credited',
      detail: `Packet ${id} is not in your wallet yet. Ask again in a moment.`,
    });
    await books.settleConfirmed(won);
    await expect(show('eve', id)).rejects.toMatchObject(notFound(id));
    expect((await show('ann', id)).code).toMatch(/^code-/);
    await expect(show('eve', id)).rejects.toMatchObject(notFound(id));
  });

  it('stays in a wallet that is frozen, even if another wallet of its winner is not, unless it was seen before', async () => {
    const id = redPacketId(activityId, 2);
    await books.settleConfirmed(await confirm('bob', 2));
    await books.deposit('bob', 1_00n);
    const setStatus = (status: 'active' | 'frozen') =>
      books.dataSource.transaction((tx) =>
        books.wallets.setStatus(tx, OPERATOR.caller, 'bob', status, { currency }),
      );
    await setStatus('frozen');
    await expect(show('bob', id)).rejects.toMatchObject({
      code: 'wallet.frozen',
      detail: `Your wallet is frozen, so it keeps the code of packet ${id}.`,
    });
    await setStatus('active');
    const { code } = await show('bob', id);
    await setStatus('frozen');
    expect((await show('bob', id)).code).toBe(code);
  });

  it('is in no packet of money', async () => {
    const rainId = await books.activity({ packets: 1 });
    await books.settleConfirmed(await books.claims.confirm([reservationOf(rainId, 'ann', 1)]));
    const id = redPacketId(rainId, 1);
    await expect(show('ann', id)).rejects.toMatchObject(notFound(id));
  });

  it('that was seen is listed to its winner, a page at a time', async () => {
    const second = await Pool.make();
    await second.upload(1);
    const { sponsorId, currency } = second;
    const other = await books.activity({ packets: 1, totalMinor: 1n, sponsorId, currency, split: EQUAL });
    await books.settleConfirmed(await books.claims.confirm([reservationOf(other, 'ann', 1)]));
    await show('ann', redPacketId(other, 1));
    const seen = (cursor?: string) => books.serviceOf(WonCodeService).seenBy('ann', { limit: 1, cursor });
    const first = await seen();
    const next = await seen(first.nextCursor!);
    expect([first, next].map(({ items }) => items.map((item) => item.redPacketId))).toEqual([
      [redPacketId(other, 1)],
      [redPacketId(activityId, 1)],
    ]);
    expect(next.nextCursor).toBeNull();
  });
});

it('a code that was shown is shown again after its claim was archived, and only codes that were not won return to the pool', async () => {
  const pool = await Pool.make();
  await pool.upload(3);
  await pool.begin(2);
  await pool.win(0, 0);
  const [[packet, code]] = [...pool.seen] as [[string, string]];
  const [activityId, no] = packet.split('/') as [string, string];
  await pool.end(0);
  const [{ user_id: user }] = await books.dataSource
    .query<[{ user_id: string }]>('delete from claim where activity_id = $1 returning user_id', [activityId])
    .then(([rows]) => rows as unknown as [{ user_id: string }]);
  await books.dataSource.query('update activity set archived_at = now() where id = $1', [activityId]);
  await sweep();
  const again = await books.serviceOf(WonCodeService).show(user, redPacketId(activityId, Number(no)));
  expect(again.code).toBe(code);
  const { items } = await books.serviceOf(WonCodeService).seenBy(user, { limit: 20 });
  expect(items).toEqual([
    {
      redPacketId: redPacketId(activityId, Number(no)),
      poolId: pool.id,
      poolName: 'Vouchers',
      firstShownAt: again.firstShownAt,
    },
  ]);
  const free = await books.dataSource.query(
    'select sum(count)::int as codes from code_free where pool_id = $1',
    [pool.id],
  );
  expect(free).toEqual([{ codes: 1 }]);
});
