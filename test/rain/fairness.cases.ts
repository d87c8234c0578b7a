import { provesPacket, type PublishedBatch } from '../../libs/packet-proof';
import { Batch, type BatchTerms } from '../../libs/split';
import { checkPublicFiles } from '../../src/dev/split/public-files';
import type { Answer } from '../harness/client';
import { rain } from '../harness/shared-installation';

describe('the fairness of an activity', () => {
  const fairness = async (id: string, query = '') =>
    (await rain.user('nosy').get(`/v1/activities/${id}/fairness${query}`)).body;

  const proofOf = (user: string, redPacketId: string): Promise<Answer> =>
    rain.user(user).get(`/v1/me/packets/${redPacketId}/proof`);

  it('is published from the creation on, and proves to a winner at once that their packet existed before', async () => {
    const id = await rain.createActivity({ totalAmount: '9.00', packetCount: 7, opensInMs: 60_000 });
    const before = await fairness(id);
    expect(before).toMatchObject({
      batches: [{ batch: '0', firstNo: '1', terms: { v: '2', activity: id, count: '7' }, seed: null }],
      nextCursor: null,
    });
    const open = await rain.createActivity({ totalAmount: '9.00', packetCount: 7 });
    const [published] = (await fairness(open)).batches as PublishedBatch[];
    const { redPacketId, amount } = await rain.win(open, 'fair-ann');
    const { status, body } = await proofOf('fair-ann', redPacketId);
    expect({ status, ...body }).toMatchObject({ status: 200, activityId: open, amount });
    expect(await provesPacket(body, published!)).toBe(true);
    expect(await proofOf('fair-bob', redPacketId)).toMatchObject({
      status: 404,
      body: { code: 'packet.not_yours' },
    });
    expect((await fairness(open)).batches[0].seed).toBeNull();
  });

  it('reveals the seeds of all batches after the end, from which anyone draws the same packets', async () => {
    const id = await rain.createActivity({ sponsorId: 'fair-giver', totalAmount: '4.00', packetCount: 4 });
    const more = { amount: '3.00', packetCount: 3, split: { kind: 'equal' } };
    await rain.deposit('fair-giver', '3.00');
    expect((await rain.operator().post(`/v1/activities/${id}/top-ups`, more)).status).toBe(201);
    const { batches: before } = await fairness(id);
    await rain.closeActivity(id);
    const { batches } = await fairness(id);
    expect(batches.map(({ seed: _, ...batch }: { seed: string }) => batch)).toEqual(
      before.map(({ seed: _, ...batch }: { seed: string }) => batch),
    );
    for (const { seed, terms, firstNo, commit, root } of batches as Record<string, never>[]) {
      const batch = new Batch(seed!, terms as unknown as BatchTerms, Number(firstNo));
      expect(batch.commit.toString('hex')).toBe(commit);
      expect(batch.tree(batch.amounts()).root.toString('hex')).toBe(root);
    }
    const first = await fairness(id, '?limit=1');
    expect(first.batches).toEqual(batches.slice(0, 1));
    const second = await fairness(id, `?limit=1&cursor=${first.nextCursor}`);
    expect(second).toEqual({ batches: batches.slice(1), nextCursor: null });
  });

  it('also reveals the seed of a cancelled rain, and names that rain as the predecessor of the next', async () => {
    const sponsorId = 'fair-canceller';
    const id = await rain.createActivity({ sponsorId, opensInMs: 60_000 });
    await rain.operator().post(`/v1/activities/${id}/cancel`);
    const [cancelled] = (await fairness(id)).batches;
    expect(cancelled.seed).toMatch(/^[0-9a-f]{64}$/);
    const [next] = (await fairness(await rain.createActivity({ sponsorId }))).batches;
    expect(next.terms.previous).toBe(cancelled.commit);
  });

  it('of a rain created by an earlier release has seeds after the end, but no commitment and no proof', async () => {
    const sponsorId = 'fair-former';
    const split = { kind: 'random', min: '0.5', max: '2' };
    const id = await rain.createActivity({ sponsorId, totalAmount: '3.00', packetCount: 3, split });
    await rain.sql('alter table packet_batch disable trigger append_only');
    await rain.sql(`delete from packet_batch where activity_id = ${id}`);
    await rain.sql('alter table packet_batch enable trigger append_only');
    await rain.sql(`update activity set batches = 0 where id = ${id}`);
    const more = { amount: '1.00', packetCount: 1 };
    await rain.deposit(sponsorId, '1.00');
    expect((await rain.user(sponsorId).post(`/v1/activities/${id}/top-ups`, more)).status).toBe(201);
    const { batches } = await fairness(id);
    expect(batches).toEqual([
      {
        batch: '0',
        firstNo: '1',
        commit: null,
        root: null,
        seed: null,
        terms: {
          v: '1',
          activity: id,
          batch: '0',
          count: '3',
          total: '3.00',
          currency: 'CNY',
          ...{ kind: 'random', min: '0.50', max: '2.00' },
        },
      },
      expect.objectContaining({ batch: '1', firstNo: '4', terms: expect.objectContaining({ v: '2' }) }),
    ]);
    const proofs = [];
    for (const user of ['fair-cem', 'fair-dan', 'fair-eve', 'fair-fay']) {
      const { status, body } = await proofOf(user, (await rain.win(id, user)).redPacketId);
      proofs.push(status === 200 ? body.batch : body.code);
    }
    const uncommitted = 'packet.uncommitted';
    expect(proofs.sort()).toEqual(['1', uncommitted, uncommitted, uncommitted]);
    await rain.closeActivity(id);
    const files = JSON.stringify(await fairness(id));
    expect(await checkPublicFiles([files])).toEqual([
      expect.stringContaining('version 1, without a commitment; its seed draws 3 packets of 3.00'),
      expect.stringContaining('all 1 packets are as committed'),
    ]);
  });

  it('is answered 404 for an activity that does not exist', async () => {
    expect(await rain.user('nosy').get('/v1/activities/999999999/fairness')).toMatchObject({ status: 404 });
  });
});
