import type { DataSource, EntityManager } from 'typeorm';
import { provesPacket, type PublishedBatch } from '../../libs/packet-proof';
import { redPacketId } from '../../libs/red-packet-id';
import { encodeCursor } from '../../src/platform/http/input/page';
import { ActivityRepository } from '../../src/core/activity';
import { Currencies } from '../../src/core/currency';
import { FairnessService } from '../../src/extensions/fairness/fairness.service';
import { FairnessRepository } from '../../src/extensions/fairness/fairness.repository';
import { reservationOf } from '../harness/books';
import { codeOf } from '../harness/problems';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

proveBooks();
shareBooks();

const fairnessWithin = (tx: EntityManager): FairnessService => {
  const db = tx as unknown as DataSource;
  return new FairnessService(
    new FairnessRepository(db),
    new ActivityRepository(db),
    books.serviceOf(Currencies),
  );
};

const fairness = () => books.serviceOf(FairnessService);

async function published(id: string): Promise<PublishedBatch[]> {
  const { batches } = await fairness().ofActivity(id, { limit: 10 });
  return batches as unknown as PublishedBatch[];
}

/** Three packets, then two and one more in two top-ups. */
async function topUpTwice(): Promise<string> {
  const id = await books.activity({ packets: 3 });
  for (const packets of [2, 1]) await books.topUp(id, { packets });
  return id;
}

it('each packet of a rain that was topped up is proven by the batch in which it was published', async () => {
  const id = await topUpTwice();
  const batches = await published(id);
  const users = ['ann', 'bob', 'cem', 'dan', 'eve', 'fay'];
  await books.claims.confirm(users.map((user, i) => reservationOf(id, user, i + 1)));
  const proven: string[] = [];
  for (const [i, user] of users.entries()) {
    const proof = await fairness().ofPacket(redPacketId(id, i + 1), user);
    const batch = batches.find((one) => one.batch === proof.batch)!;
    expect(await provesPacket(proof, batch)).toBe(true);
    proven.push(proof.batch);
  }
  expect(proven).toEqual(['0', '0', '0', '1', '1', '2']);
});

it('packets of a rain that is larger than what is hashed for a proof are proven', async () => {
  const id = await books.activity({ packets: 1_000 });
  const [batch] = await published(id);
  const nos = [1, 256, 257, 700, 1_000];
  await books.claims.confirm(nos.map((no) => reservationOf(id, `crowd-${no}`, no)));
  for (const no of nos) {
    const proof = await fairness().ofPacket(redPacketId(id, no), `crowd-${no}`);
    expect([proof.no, await provesPacket(proof, batch!)]).toEqual([String(no), true]);
  }
});

it('the salt of a packet is shown only to its winner, and not to winners of other packets', async () => {
  const id = await books.activity({ packets: 2 });
  await books.claims.confirm([reservationOf(id, 'ann', 1), reservationOf(id, 'bob', 2)]);
  for (const user of ['bob', 'cem'])
    await expect(fairness().ofPacket(redPacketId(id, 1), user)).rejects.toMatchObject({
      code: 'packet.not_yours',
      detail: `You hold no packet ${redPacketId(id, 1)}.`,
    });
  expect(await codeOf(fairness().ofPacket(redPacketId('999', 1), 'ann'))).toBe('packet.not_yours');
});

it('the batches of a rain are published in pages, each as it was drawn, from the creation on', async () => {
  const id = await topUpTwice();
  const first = await fairness().ofActivity(id, { limit: 2 });
  const second = await fairness().ofActivity(id, { limit: 2, cursor: first.nextCursor! });
  expect(second.nextCursor).toBeNull();
  const batches = [...first.batches, ...second.batches];
  expect(batches).toEqual(
    ['1', '4', '6'].map((firstNo, i) => ({
      batch: String(i),
      firstNo,
      terms: expect.objectContaining({ v: '2', activity: id, batch: String(i), count: ['3', '2', '1'][i] }),
      commit: expect.stringMatching(/^[0-9a-f]{64}$/),
      root: expect.stringMatching(/^[0-9a-f]{64}$/),
      seed: null,
    })),
  );
  for (const cursor of ['x', 'x1', '1x', '12345678'].map(encodeCursor))
    expect(await codeOf(fairness().ofActivity(id, { limit: 2, cursor }))).toBe('request.invalid');
  expect(await fairness().ofActivity(id, { limit: 2, cursor: encodeCursor('1234567') })).toEqual({
    batches: [],
    nextCursor: null,
  });
  expect(await codeOf(fairness().ofActivity('999', { limit: 2 }))).toBe('activity.not_found');
});

it.each([
  [{ kind: 'equal' }, {}],
  [{ kind: 'random', min: '0.50', max: '2.00' }, {}],
  [
    { kind: 'random', min: '0.5', max: '2' },
    { min: '0.50', max: '2.00' },
  ],
  [
    {
      kind: 'tiers',
      tiers: [
        { amount: '1.00', count: 2 },
        { amount: '2', count: 1 },
      ],
    },
    {
      tiers: [
        { amount: '1.00', count: '2' },
        { amount: '2.00', count: '1' },
      ],
    },
  ],
] as const)(
  'a rain that a former release has drawn, split as %j, has terms of version 1, and proves no packet',
  async (split, told) => {
    const id = await books.activity({ packets: 3, totalMinor: 400n });
    await books.claims.confirm([reservationOf(id, 'ann', 1)]);
    const { batches } = await books.undoing(async (tx) => {
      await tx.query('alter table packet_batch disable trigger append_only');
      await tx.query('delete from packet_batch where activity_id = $1', [id]);
      await tx.query('alter table activity disable trigger user');
      await tx.query('update activity set split = $2, batches = 0 where id = $1', [id, split]);
      const service = fairnessWithin(tx);
      await expect(service.ofPacket(redPacketId(id, 1), 'ann')).rejects.toMatchObject({
        code: 'packet.uncommitted',
        detail: `Packet ${redPacketId(id, 1)} has no commitment.`,
      });
      return service.ofActivity(id, { limit: 10 });
    });
    const terms = { v: '1', activity: id, batch: '0', count: '3', total: '4.00', currency: 'CNY' };
    const none = { commit: null, root: null, seed: null };
    expect(batches).toEqual([{ batch: '0', firstNo: '1', terms: { ...terms, ...split, ...told }, ...none }]);
  },
);

it('users of a rain that was archived hear where their packets are, winners or not, unless it was hidden', async () => {
  const [id, hidden] = [
    await books.activity({ packets: 1 }),
    await books.activity({ packets: 1, audience: { kind: 'link' } }),
  ];
  await books.undoing(async (tx) => {
    await tx.query('alter table activity disable trigger user');
    await tx.query('update activity set archived_at = now() where id = any($1)', [[id, hidden]]);
    const prove = (of: string) => codeOf(fairnessWithin(tx).ofPacket(redPacketId(of, 1), 'ann'));
    expect([await prove(id), await prove(hidden)]).toEqual(['activity.archived', 'packet.not_yours']);
  });
});
