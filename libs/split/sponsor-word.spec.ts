import { createHash } from 'node:crypto';
import { Batch, batchTerms, type BatchTerms, NO_COMMIT, seedCommitment, type SplitTerms } from '.';

/** `SEEDS_TRIED=100000 npx jest --testPathPatterns sponsor-word` lets the server try harder. */
const TRIES = Number(process.env.SEEDS_TRIED ?? 10_000);

/** The number of rains that are compared with as many rains of a server that tries nothing. */
const RAINS = 2_000;

/** Above this, two samples of that size have the same distribution with a chance below 1 in 1,000. */
const KOLMOGOROV_SMIRNOV_MAX = 1.95 * Math.sqrt(2 / RAINS);

/** All seeds and words follow from their names, so no test fails by chance. */
const random = (name: string): string => createHash('sha256').update(`sponsor-word/${name}`).digest('hex');

const CNY = { code: 'CNY', digits: 2 } as const;
const SPLIT: SplitTerms = { totalMinor: 10_000n, packetCount: 10, plan: { kind: 'random' } };

interface Rain {
  readonly seed: string;
  /** Without it, the server draws alone. */
  readonly word?: string;
  readonly activityId?: string;
  readonly previous?: string;
}

function termsOf({ seed, word, activityId = '7', previous = NO_COMMIT }: Rain): BatchTerms {
  const place = { activityId, batchNo: 0, previous };
  const brought = word === undefined ? undefined : { commitment: seedCommitment(seed), sponsorSeed: word };
  return batchTerms(place, SPLIT, CNY, undefined, brought);
}

/** The amount of packet 1, which the server leads to its friend. */
const friendsAmount = (rain: Rain): number => Number(new Batch(rain.seed, termsOf(rain), 1).amounts()[0]);

const rains = <T>(count: number, rain: (no: number) => T): T[] =>
  Array.from({ length: count }, (_, no) => rain(no));

function best(tried: readonly Rain[]): Rain {
  const amounts = tried.map(friendsAmount);
  return tried[amounts.indexOf(Math.max(...amounts))]!;
}

/** The largest distance between the shares of two samples that are at most x, over all x. */
function distance(some: readonly number[], others: readonly number[]): number {
  const share = (sample: readonly number[], x: number) =>
    sample.filter((value) => value <= x).length / sample.length;
  return Math.max(
    ...[...new Set([...some, ...others])].map((x) => Math.abs(share(some, x) - share(others, x))),
  );
}

const honest = rains(RAINS, (no) =>
  friendsAmount({ seed: random(`honest ${no}`), word: random(`their word ${no}`) }),
);
const largestOfHonest = [...honest].sort((a, b) => a - b)[Math.floor(RAINS * 0.99)]!;

describe(`a server that tries ${TRIES} draws for a friend`, () => {
  it('gains nothing from its seed if the sponsor brings a word after the commitment', () => {
    const kept = best(rains(TRIES, (no) => ({ seed: random(`tried ${no}`), word: random('a guess') })));
    const cheated = rains(RAINS, (no) => friendsAmount({ ...kept, word: random(`word ${no}`) }));
    expect(distance(cheated, honest)).toBeLessThan(KOLMOGOROV_SMIRNOV_MAX);
  });

  it('gains nothing from terms chosen once it knows the word: all of them draw the same amounts', () => {
    const agreed = { seed: random('seed'), word: random('word') };
    const tried = rains(TRIES, (no) => ({
      ...agreed,
      activityId: String(no),
      previous: random(`previous ${no}`),
    }));
    expect(friendsAmount(best(tried))).toBe(friendsAmount(agreed));
  });

  it('draws the amounts that it wants if there is no word, by its seed and by terms that it chooses', () => {
    const seeds = rains(TRIES, (no) => ({ seed: random(`tried ${no}`) }));
    const terms = rains(TRIES, (no) => ({ seed: random('seed'), activityId: String(no) }));
    for (const tried of [seeds, terms]) expect(friendsAmount(best(tried))).toBeGreaterThan(largestOfHonest);
  });
});

describe('the published vector of version 3', () => {
  const seed = Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('hex');
  const sponsorSeed = Buffer.from(Array.from({ length: 32 }, (_, i) => 255 - i)).toString('hex');
  const split: SplitTerms = {
    totalMinor: 1000n,
    packetCount: 5,
    plan: { kind: 'random', minMinor: 10n, maxMinor: 400n },
  };
  const word = { commitment: seedCommitment(seed), sponsorSeed };
  const place = { activityId: '7', batchNo: 0, previous: NO_COMMIT };
  const batch = new Batch(seed, batchTerms(place, split, CNY, undefined, word), 1);

  it('the commitment to the seed, the amounts, the salts and the root follow from both seeds', () => {
    const amounts = batch.amounts();
    expect({
      commitment: word.commitment,
      amounts: [...amounts].map(Number),
      commit: batch.commit.toString('hex'),
      salt: batch.saltOf(3).toString('hex'),
      root: batch.tree(amounts).root.toString('hex'),
    }).toEqual({
      commitment: '495b1ccc229f394497de061077104a98c683b096edb3301080a8ef7dcd6c94ae',
      amounts: [148, 349, 143, 282, 78],
      commit: '2375886b252dbe999e1ff91e6aa03c7ad198901a29abf9050fb1245c07bb3fbd',
      salt: '3736de14aa2f03ac2d08035bcaa041bd',
      root: 'cfd3537732f4da721124e7db42e49fe35420219164852b9071021b7bfc91fb3f',
    });
  });
});
