import { Installation } from '../harness/installation';
import { takeOut } from '../harness/without-extensions';
import { foldersOf, importedBy } from './folders';

const extensions = foldersOf('extensions').map((folder) => ({
  name: folder.name,
  needs: importedBy(folder).flatMap(({ layer, name }) => (layer === 'extensions' ? [name] : [])),
}));

export const extensionNames: readonly string[] = extensions.map(({ name }) => name);

/** An extension, and those that need it: they are taken out together. */
export function takenWith(name: string): string[] {
  const taken = new Set([name]);
  for (const needed of taken)
    for (const other of extensions) if (other.needs.includes(needed)) taken.add(other.name);
  return [...taken];
}

/** Starts API and worker without some extensions on empty engines: both become ready. */
export async function startWithout(
  names: readonly string[],
  play: (rain: Installation) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { dist, discard } = takeOut(names);
  try {
    const rain = await Installation.startWithWorker({}, dist);
    await play(rain).finally(() => rain.stop());
  } finally {
    discard();
  }
}

/**
 * Plays a rain to its proof. Three of four packets are won, one by a user whose wallet is frozen: the claim
 * becomes a dead letter, and is paid once it is replayed. The close refunds the fourth.
 */
export async function playRain(rain: Installation): Promise<void> {
  const operator = rain.operator();
  await operator.post('/v1/wallets/frosty/freeze');
  const plan = { totalAmount: '4.00', packetCount: 4, split: { kind: 'equal' } };
  const path = `/v1/activities/${await rain.createActivity(plan)}`;
  const id = path.split('/').at(-1)!;
  for (const user of ['lin', 'mo', 'frosty'])
    expect((await rain.user(user).post(`${path}/grabs`)).body).toMatchObject({ code: '0', amount: '1.00' });
  await rain.settled(id);
  const settlementOf = async (user: string) =>
    (await rain.user(user).get(`${path}/grabs/me`)).body.settlement;
  expect([await settlementOf('lin'), await settlementOf('frosty')]).toEqual(['credited', 'dead-letter']);

  const [letter] = (await operator.get('/v1/dead-letters')).body.items;
  await operator.post('/v1/wallets/frosty/unfreeze');
  expect(await operator.post(`/v1/dead-letters/${letter.id}/replay`)).toMatchObject({ status: 200 });
  await rain.settled(id);
  expect(await operator.post(`${path}/close`)).toMatchObject({ status: 200 });
  expect(await rain.proof(id)).toMatchObject({
    verdict: 'balanced',
    credited: '3.00',
    refunded: '1.00',
    escrowBalance: '0.00',
  });
  for (const owner of ['lin', 'mo', 'frosty', 'sponsor'])
    expect((await operator.get(`/v1/wallets/${owner}`)).body.balance).toBe('1.00');
  expect(await rain.verify()).not.toContain('BROKEN');
}
