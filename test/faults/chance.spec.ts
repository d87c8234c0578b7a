import { Chance } from './chance';
import { kindOfRound, KINDS } from './kinds';

describe('chance', () => {
  it('repeats itself for the same words, and only for them', () => {
    const draw = (words: string) => {
      const chance = new Chance(words);
      return [chance.fraction(), chance.integer(1, 1000), chance.shuffle([1, 2, 3, 4, 5, 6, 7])];
    };
    expect(draw('7/1/kill-api')).toEqual(draw('7/1/kill-api'));
    expect(draw('7/1/kill-api')).not.toEqual(draw('8/1/kill-api'));
  });
});

describe('the kinds of a campaign', () => {
  const bag = KINDS.reduce((sum, { weight }) => sum + weight, 0);
  const namesOf = (seed: number, first: number) =>
    Array.from({ length: bag }, (_, i) => kindOfRound(KINDS, seed, first + i).name);

  it.each([1, 1 + bag])('each occur as often as their weight says, from round %i on', (first) => {
    const names = namesOf(7, first);
    for (const { name, weight } of KINDS) expect(names.filter((one) => one === name)).toHaveLength(weight);
  });

  it('depend only on the seed and the round', () => {
    expect(namesOf(7, 1)).toEqual(namesOf(7, 1));
    expect(namesOf(8, 1)).not.toEqual(namesOf(7, 1));
    expect(namesOf(7, 1 + bag)).not.toEqual(namesOf(7, 1));
  });
});
