import { SecondPerson, type SoloSum } from './second-person';

const tx = {} as never;
const currency = {} as never;
const sums = [
  { doneBy: 'ann', currency, amountMinor: 1n },
  { doneBy: 'bob', currency, amountMinor: 1_000_000_00n },
];
const wish = {
  action: 'wallet.deposit',
  subjectId: 'ann',
  sourceId: '1',
  currency,
  amountMinor: 1_000_000_00n,
  terms: {},
};
const deed = { action: 'wallet.deposit', problems: [], perform: async () => ({ detail: {} }) };

function requestOf(userId: string) {
  const accept = jest.fn();
  return { request: { caller: { userId }, accept } as never, accept };
}

function withRules(mayAlone: boolean, counted: SoloSum[] = [], lapsed: string[] = []): SecondPerson {
  const secondPerson = new SecondPerson();
  secondPerson.registerRules({
    undecidedDeeds: 'select id, action, subject_id, source_id, expires_at from wish',
    takeTurns: async (_, [first]) => new Set([first!]),
    takeSoloSums: async (_, taken) => {
      counted.push(...taken);
      return taken.map(() => mayAlone);
    },
    requestDeeds: async (_, wishes) => wishes.map(({ askedBy }) => ({ id: '7', askedBy: askedBy.userId })),
    lapse: async (_, action, subjectId) => void lapsed.push(`${action} ${subjectId}`),
  });
  return secondPerson;
}

describe('without an extension that brings a second person', () => {
  const secondPerson = new SecondPerson();

  it('every person may move any sum alone', async () => {
    expect(await secondPerson.takeSoloSums(tx, sums)).toEqual([true, true]);
  });

  it('nobody has to wait for their turn', async () => {
    const people = ['ann', 'bob'];
    expect(await secondPerson.takeTurns(tx, people)).toEqual(new Set(people));
    expect(await withRules(true).takeTurns(tx, people)).toEqual(new Set(['ann']));
  });

  it('no deed waits to be decided', () => {
    expect(secondPerson.undecidedDeeds).toContain('where false');
    expect(withRules(true).undecidedDeeds).toContain('from wish');
  });

  it('no request can lapse', async () => {
    await expect(secondPerson.lapse(tx, 'wallet.deposit', 'ann')).resolves.toBeUndefined();
    const lapsed: string[] = [];
    await withRules(true, [], lapsed).lapse(tx, 'wallet.deposit', 'ann');
    expect(lapsed).toEqual(['wallet.deposit ann']);
  });

  it.each(['performOrRequest', 'requestOrPerform'] as const)(
    '%s performs the deed, and the request is not answered 202',
    async (method) => {
      const { request, accept } = requestOf('ann');
      const done = { transferId: '3' };
      expect(await secondPerson[method](tx, request, wish, async () => done)).toBe(done);
      expect(accept).not.toHaveBeenCalled();
    },
  );
});

describe('with one, a deed', () => {
  const perform = jest.fn(async () => ({}));

  beforeEach(() => perform.mockClear());

  it('that a person may not do alone is requested in their name, not performed, and answered 202', async () => {
    const { request, accept } = requestOf('ann');
    const pending = await withRules(false).performOrRequest(tx, request, wish, perform);
    expect(pending).toEqual({ id: '7', askedBy: 'ann' });
    expect(perform).not.toHaveBeenCalled();
    expect(accept).toHaveBeenCalledTimes(1);
  });

  it('counts with its whole amount for the person who does it, not for the user whom it is about', async () => {
    const counted: SoloSum[] = [];
    const { request } = requestOf('finance');
    await withRules(true, counted).performOrRequest(tx, request, wish, perform);
    expect(counted).toEqual([{ doneBy: 'finance', currency, amountMinor: wish.amountMinor }]);
  });

  it('that a person may do alone is performed, unless it always needs a second person', async () => {
    const secondPerson = withRules(true);
    const { request } = requestOf('ann');
    await secondPerson.performOrRequest(tx, request, wish, perform);
    expect(perform).toHaveBeenCalledTimes(1);
    expect(await secondPerson.requestOrPerform(tx, request, wish, perform)).toHaveProperty('askedBy');
    expect(perform).toHaveBeenCalledTimes(1);
  });
});

it('neither a deed nor the rules can be registered twice', () => {
  const secondPerson = withRules(true);
  secondPerson.registerDeed(deed);
  expect(() => secondPerson.registerDeed(deed)).toThrow('wallet.deposit is registered twice');
  expect(() => secondPerson.registerRules({} as never)).toThrow('registered twice');
  expect([secondPerson.findDeed('wallet.deposit'), secondPerson.findDeed('wallet.burn')]).toEqual([
    deed,
    undefined,
  ]);
});
