import { waitFor } from '../harness/engines';
import { rain } from '../harness/shared-installation';

describe('the best luck of an activity', () => {
  const tiers = Array.from({ length: 12 }, (_, i) => ({ amount: `${i + 1}.00`, count: 1 }));
  const plan = { totalAmount: '78.00', packetCount: 12, split: { kind: 'tiers', tiers } };
  const users = tiers.map((_, i) => `lucky-${String(i).padStart(2, '0')}`);
  const read = async (id: string, user = 'reader') =>
    (await rain.user(user).get(`/v1/activities/${id}/best-luck`)).body as {
      items: { user: string; amount: string; isMine: boolean }[];
    };

  async function played(showsBestLuck: boolean): Promise<{ id: string; amounts: Map<string, string> }> {
    const id = await rain.createActivity({ ...plan, showsBestLuck });
    const amounts = new Map<string, string>();
    for (const user of users) {
      const { body } = await rain.tap(id, user);
      amounts.set(user, body.amount as string);
    }
    return { id, amounts };
  }

  it('is its ten largest packets, with masked users and the packet of the caller marked, only after the end', async () => {
    const { id, amounts } = await played(true);
    expect((await read(id)).items).toEqual([]);
    await rain.closeActivity(id);
    await waitFor(async () => (await read(id)).items.length > 0, { what: 'the best luck' });
    const [best] = [...amounts].find(([, amount]) => amount === '12.00')!;
    const { items } = await read(id, best);
    const largest = tiers.slice(2).reverse();
    expect(items.map(({ amount }) => amount)).toEqual(largest.map(({ amount }) => amount));
    expect(items.filter(({ isMine }) => isMine)).toEqual([items[0]]);
    expect(items[0]!.user).toBe(`l***${best.at(-1)}`);
    expect((await rain.operator().get(`/v1/activities/${id}`)).body.showsBestLuck).toBe(true);
  });

  it('is not shown unless its sponsor allows it', async () => {
    const { id } = await played(false);
    expect((await rain.closeActivity(id)).status).toBe(200);
    expect((await read(id)).items).toEqual([]);
  });

  it('is answered 404 for an activity that does not exist', async () => {
    expect((await rain.user('reader').get('/v1/activities/999999/best-luck')).status).toBe(404);
  });
});
