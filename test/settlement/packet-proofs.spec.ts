import { provesPacket, type PublishedBatch } from '../../libs/packet-proof';
import { redPacketId } from '../../libs/red-packet-id';
import { FairnessService } from '../../src/extensions/fairness/fairness.service';
import { reservationOf } from '../harness/books';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

shareBooks();
proveBooks();

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

it('the salt of a packet is shown only to its winner, and not to winners of other packets', async () => {
  const id = await books.activity({ packets: 2 });
  await books.claims.confirm([reservationOf(id, 'ann', 1), reservationOf(id, 'bob', 2)]);
  for (const user of ['bob', 'cem'])
    await expect(fairness().ofPacket(redPacketId(id, 1), user)).rejects.toMatchObject({
      code: 'packet.not_yours',
    });
});
