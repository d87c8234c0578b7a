import {
  claimLeafHash,
  inclusionRanges,
  openCheckpoint,
  rangeHash,
  rootOfPath,
  TreeEdge,
  userHash,
} from '../../libs/claim-log';
import { ClaimLogLeader } from '../../src/extensions/claim-log/claim-log-leader';
import { proveLog } from '../../src/extensions/claim-log/log-proof';
import { ClaimLogRepository } from '../../src/extensions/claim-log/claim-log.repository';
import { Metrics } from '../../src/platform/telemetry';
import { Books, openBooks, reservationOf } from '../harness/books';
import { waitFor } from '../harness/engines';

let books: Books;
let close: () => Promise<void>;
let log: ClaimLogRepository;

beforeEach(async () => {
  ({ books, close } = await openBooks());
  log = books.serviceOf(ClaimLogRepository);
});

afterEach(() => close());

const append = () => books.serviceOf(ClaimLogLeader).appendAll(new AbortController().signal);

/** Recomputes the tree of the log from its leaves and salts. Returns its packets, in order. */
async function logged(): Promise<string[]> {
  const head = await log.head();
  const leaves = await log.leaves(0, 1_000_000);
  const edge = new TreeEdge();
  leaves.forEach((leaf) => edge.append(claimLeafHash(leaf)));
  expect([head?.size ?? 0, head?.root ?? edge.root]).toEqual([leaves.length, edge.root]);
  if (head) {
    const { size, root } = head;
    expect(openCheckpoint(head.note, head.verifierKey)).toMatchObject({ size, root });
  }
  return leaves.map(({ activityId, packetNo }) => `${activityId}/${packetNo}`);
}

const users = (count: number, prefix = 'user'): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i}`);

describe('the log of claims', () => {
  it('has each claim once, in the order of confirmation, and proves each to its winner', async () => {
    const [first, second] = [await books.activity({ packets: 300 }), await books.activity({ packets: 700 })];
    await append();
    expect(await log.head()).toBeUndefined();
    await books.claim(first, users(300));
    await append();
    await books.claim(second, users(700));
    await append();
    await append();
    expect(await logged()).toEqual([
      ...users(300).map((_, i) => `${first}/${i + 1}`),
      ...users(700).map((_, i) => `${second}/${i + 1}`),
    ]);
    const { size, root } = (await log.head())!;
    const leaf = (await log.leafOfPacket(second, 7))!;
    expect(leaf.userHash).toEqual(userHash('user-6', leaf.salt!));
    const hashes = await log.hashes(inclusionRanges(leaf.index, size));
    expect(rootOfPath(claimLeafHash(leaf), leaf.index, size, hashes.map(rangeHash))).toEqual(root);
  });

  describe('that was last signed with another key', () => {
    const KEYS = [7, 8].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string];

    /** Lets a worker with these keys log the claim of a user in a new rain. */
    async function logBy(settings: NodeJS.ProcessEnv): Promise<string> {
      const worker = await Books.of(books.databaseUrl, settings);
      try {
        await worker.claim(await worker.activity({ packets: 1 }), ['ann']);
        await worker.serviceOf(ClaimLogLeader).appendAll(new AbortController().signal);
        const metric = await worker.serviceOf(Metrics).expose();
        expect(metric).toMatch(/^hongbao_claim_log_key_foreign 0$/m);
        return (await log.head())!.verifierKey;
      } finally {
        await worker.close();
      }
    }

    it('is not signed by a worker that has this key neither as its key nor as its previous key', async () => {
      const first = await logBy({ CLAIM_LOG_KEY: KEYS[0] });
      await expect(logBy({ CLAIM_LOG_KEY: KEYS[1] })).rejects.toThrow(
        `and the last checkpoint was signed by ${first}. Set the key of this installation, or the former one as`,
      );
      await expect(append()).rejects.toThrow('CLAIM_LOG_KEY is hongbao/');
      expect((await log.head())!.size).toBe(1);
      expect(await books.serviceOf(Metrics).expose()).toMatch(/^hongbao_claim_log_key_foreign 1$/m);
      await logBy({ CLAIM_LOG_KEY: KEYS[0] });
      expect((await log.head())!.size).toBe(3);
    });

    it('is signed with both keys while one replaces the other, and then only with the new key', async () => {
      const first = await logBy({ CLAIM_LOG_KEY: KEYS[0] });
      const second = await logBy({ CLAIM_LOG_KEY: KEYS[1], CLAIM_LOG_KEY_PREVIOUS: KEYS[0] });
      const { note } = (await log.head())!;
      expect([first, second].map((key) => openCheckpoint(note, key)?.size)).toEqual([2, 2]);
      await expect(logBy({ CLAIM_LOG_KEY: KEYS[0] })).rejects.toThrow(`was signed by ${second}.`);
      expect(await logBy({ CLAIM_LOG_KEY: KEYS[1] })).toBe(second);
      expect(await logBy({ CLAIM_LOG_KEY: KEYS[0], CLAIM_LOG_KEY_PREVIOUS: KEYS[1] })).toBe(first);
    });

    it('is signed only with a new key if the former key is lost and its public half is set', async () => {
      const first = await logBy({ CLAIM_LOG_KEY: KEYS[0] });
      const second = await logBy({ CLAIM_LOG_KEY: KEYS[1], CLAIM_LOG_KEY_PREVIOUS: first });
      const { note } = (await log.head())!;
      expect([first, second].map((key) => openCheckpoint(note, key)?.size)).toEqual([undefined, 2]);
    });
  });

  it('does not wait for an open transaction, and has its claims once it has ended', async () => {
    const [slow, fast] = [await books.activity({ packets: 2 }), await books.activity({ packets: 3 })];
    const commit = await books.hold((tx) =>
      tx.query(
        `insert into claim (activity_id, packet_no, user_id, amount_minor)
         select activity_id, no, 'ann', amount_minor from packet where activity_id = $1 and no = 1`,
        [slow],
      ),
    );
    await books.claim(fast, users(2));
    await append();
    expect(await logged()).toEqual([`${fast}/1`, `${fast}/2`]);
    await books.claims.confirm([reservationOf(fast, 'bob', 3)]);
    await append();
    await commit();
    await append();
    expect(await logged()).toEqual([`${fast}/1`, `${fast}/2`, `${fast}/3`, `${slow}/1`]);
  });

  it('has each claim once, whatever writers, refused confirmations and other leaders do in the meantime', async () => {
    const rains = await Promise.all(Array.from({ length: 3 }, () => books.activity({ packets: 120 })));
    let isOver = false;
    const leaders = Array.from({ length: 3 }, async () => {
      while (!isOver) await append();
    });
    const confirm = (rain: string, from: number, who: string) =>
      books.claims.confirm(users(10, `${who}-${from}`).map((user, i) => reservationOf(rain, user, from + i)));
    for (let from = 1; from <= 120; from += 10)
      await Promise.all(rains.flatMap((rain) => [confirm(rain, from, 'a'), confirm(rain, from, 'b')]));
    isOver = true;
    await Promise.all(leaders);
    await append();
    const claims = await books.dataSource.query<{ packet: string }[]>(
      `select activity_id || '/' || packet_no as packet from claim`,
    );
    expect(claims).toHaveLength(360);
    expect((await logged()).sort()).toEqual(claims.map(({ packet }) => packet).sort());
  });

  it('does not wait for a lock on an old partition, and does not miss a claim there', async () => {
    const others = await openBooks({}, false);
    try {
      const old = await others.books.activity({ packets: 2 });
      await others.books.claim(old, ['ann', 'bob']);
      await others.books.dataSource.query(
        `update activity set status = 'closed', closed_at = now() where id = $1`,
        [old],
      );
      await others.books.dataSource.query(`select setval('activity_id_seq', 9999)`);
      const rain = await others.books.activity({ packets: 1 });
      await others.books.claim(rain, ['ann']);
      const unlock = await others.books.hold((tx) => tx.query('lock table claim_0 in access exclusive mode'));
      const appendThere = () =>
        others.books.serviceOf(ClaimLogLeader).appendAll(new AbortController().signal);
      const packets = async () =>
        (await others.books.serviceOf(ClaimLogRepository).leaves(0, 9)).map(({ activityId }) => activityId);
      await appendThere();
      expect(await packets()).toEqual([rain]);
      await unlock();
      await appendThere();
      expect(await packets()).toEqual([rain, old, old]);
    } finally {
      await others.close();
    }
  });

  it('is behind by the age of the oldest claim that it lacks, counted from its first checkpoint', async () => {
    const rain = await books.activity({ packets: 3 });
    await books.claim(rain, users(1));
    expect(await log.behindSeconds()).toBe(0);
    await append();
    expect(await log.behindSeconds()).toBe(0);
    await books.claims.confirm([reservationOf(rain, 'bob', 2), reservationOf(rain, 'cyd', 3)]);
    await books.dataSource.query(
      `update claim set confirmed_at = now() - interval '5 minutes' where user_id = 'bob'`,
    );
    expect(Math.round((await log.behindSeconds()) / 60)).toBe(5);
    await append();
    expect(await log.behindSeconds()).toBe(0);
  });

  it('continues after a leader whose connection was lost before its commit', async () => {
    const rain = await books.activity({ packets: 5 });
    await books.claim(rain, users(3));
    const commit = await books.hold((tx) => tx.query(`lock table claim_salt in exclusive mode`));
    const lost = append().catch((error: Error) => error.message);
    await waitFor(async () => (await books.blocked()).length > 0, {
      what: 'a leader that is about to append',
    });
    await books.dataSource.query('select pg_terminate_backend(pid) from unnest($1::integer[]) as pid', [
      await books.blocked(),
    ]);
    expect(await lost).toEqual(expect.any(String));
    await commit();
    await append();
    expect(await logged()).toEqual([`${rain}/1`, `${rain}/2`, `${rain}/3`]);
  });

  it('is recomputed by verification, which names the leaves that were edited', async () => {
    await books.claim(await books.activity({ packets: 600 }), users(600));
    await append();
    const prove = (isWhole: boolean) => books.dataSource.transaction((tx) => proveLog(log, tx, isWhole));
    expect(await prove(true)).toEqual({ examined: 600, faults: [] });
    expect(await prove(false)).toEqual({ examined: 600, faults: [] });
    for (const table of ['claim_leaf', 'claim_log_node'])
      await books.dataSource.query(`alter table ${table} disable trigger append_only`);
    await books.dataSource.query('update claim_leaf set packet_no = 601 where leaf_index = 300');
    const faults = [
      'Leaves 256 to 511 are not what node 1 of level 1 is.',
      'The root at 600 leaves differs.',
    ];
    expect(await prove(true)).toEqual({ examined: 600, faults });
    await books.dataSource.query('delete from claim_log_node');
    expect((await prove(true)).faults).toContain('Leaves 0 to 255 are not what node 0 of level 1 is.');
    await books.dataSource.query('delete from claim_leaf where leaf_index = 550');
    expect((await prove(true)).faults).toContain('Leaf 550 is missing.');
  });

  it('signs nothing more once rows that it was made from have changed', async () => {
    const rain = await books.activity({ packets: 5 });
    await books.claim(rain, users(3));
    await append();
    await books.dataSource.query('alter table claim_leaf disable trigger append_only');
    await books.dataSource.query('update claim_leaf set packet_no = 5 where leaf_index = 1');
    await books.claims.confirm([reservationOf(rain, 'bob', 4)]);
    await expect(append()).rejects.toThrow('not what was signed at 3 leaves');
  });
});
