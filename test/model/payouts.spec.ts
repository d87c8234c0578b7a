import fc from 'fast-check';
import type { OutcomeBody } from '../../src/extensions/payout/book/outcome.dto';
import {
  NEXT_STATES,
  OUTCOMES,
  PAYOUT_STATES,
  type PayoutState,
} from '../../src/extensions/payout/book/payout-state';
import { type Books, requestOf } from '../harness/books';
import { codeOf } from '../harness/problems';
import { books, expectProven, shareBooks } from '../harness/shared-books';
import { storyOptions } from './stories';

const START = 100_00n;
const REVIEWED_ABOVE = 40_00n;
const USERS = ['ann', 'bob'] as const;

type User = (typeof USERS)[number];
type Decision = 'approve' | 'reject';

/** The expected state of a payout. */
interface Expected {
  readonly id: string;
  readonly user: User;
  readonly amountMinor: bigint;
  readonly approvalId?: string;
  state: PayoutState;
  externalId?: string;
}

type Step = (world: World) => Promise<void>;

/** The books, and their expected contents: the balances follow from the states. */
class World {
  readonly payouts: Expected[] = [];
  readonly findings = new Set<string>();

  constructor(
    readonly books: Books,
    readonly channelId: string,
    /** The name of a user in this story. */
    readonly nameOf: (user: User) => string,
    /** Payouts that other stories have left in flight. */
    readonly outboundBefore: bigint,
  ) {}

  /** The amount that the user could still withdraw. */
  balanceOf(user: User): bigint {
    const away = this.payouts
      .filter((payout) => payout.user === user && !['review', 'refused', 'returned'].includes(payout.state))
      .map(({ amountMinor }) => amountMinor);
    return away.reduce((balance, amount) => balance - amount, START);
  }

  async check(): Promise<void> {
    for (const user of USERS) expect(await this.books.balance(this.nameOf(user))).toBe(this.balanceOf(user));
    const open = this.payouts.filter(({ state }) => ['reserved', 'processing', 'needs-user'].includes(state));
    const outbound = open.reduce((sum, { amountMinor }) => sum + amountMinor, this.outboundBefore);
    expect(await this.books.balance(this.channelId, 'outbound')).toBe(outbound);
    for (const { id, state } of this.payouts) expect((await this.books.payouts.read(id)).state).toBe(state);
    await expectProven(['I18']);
    const { items } = await this.books.findings.list({ state: 'open', limit: 100 });
    const ours = items.filter(({ payoutId }) => this.payouts.some(({ id }) => id === payoutId));
    expect(new Set(ours.map(({ payoutId, kind }) => `${payoutId} ${kind}`))).toEqual(this.findings);
  }
}

const ask =
  (user: User, amountMinor: bigint): Step =>
  async (world) => {
    const { books, channelId } = world;
    const amount = books.currency.format(amountMinor);
    let asked: { id: string; state: PayoutState } | undefined;
    const asking = books.askForPayout(world.nameOf(user), channelId, amount);
    const code = await codeOf(asking.then((payout) => (asked = payout)));
    if (amountMinor > world.balanceOf(user)) return expect(code).toBe('wallet.insufficient_funds');
    expect(code).toBe('done');
    const state = amountMinor > REVIEWED_ABOVE ? 'review' : 'reserved';
    expect(asked!.state).toBe(state);
    const approvalId = state === 'review' ? await approvalOf(books, asked!.id) : undefined;
    world.payouts.push({ id: asked!.id, user, amountMinor, state, approvalId });
  };

async function approvalOf(books: Books, payoutId: string): Promise<string> {
  const { items } = await books.approvals.list({ status: 'pending', limit: 100 });
  return items.find(({ subject }) => subject === `payout:${payoutId}`)!.id;
}

const decide =
  (which: number, decision: Decision): Step =>
  async (world) => {
    const payout = world.payouts[which % Math.max(world.payouts.length, 1)];
    if (payout?.approvalId === undefined) return;
    const { books } = world;
    const code = await codeOf(books.approvals[decision](requestOf('decider'), payout.approvalId));
    if (payout.state !== 'review') return expect(code).toBe('approval.not_pending');
    if (decision === 'approve' && payout.amountMinor > world.balanceOf(payout.user))
      return expect(code).toBe('wallet.insufficient_funds');
    expect(code).toBe('done');
    payout.state = decision === 'approve' ? 'reserved' : 'refused';
  };

/** A report may come in any order, twice, or under another name. */
const report =
  (which: number, outcome: OutcomeBody['outcome'], externalId?: string): Step =>
  async (world) => {
    const payout = world.payouts[which % Math.max(world.payouts.length, 1)];
    if (!payout) return;
    const { id, state } = payout;
    const results = await world.books.report(world.channelId, { id, outcome, externalId });
    const result = expectedOf(payout, outcome, externalId);
    expect(results).toEqual([
      { id, result, state: result === 'applied' ? outcome : state === 'review' ? null : state },
    ]);
    if (result === 'applied') payout.state = outcome;
    if (result === 'applied' || (result === 'unchanged' && !isFinal(payout.state)))
      payout.externalId ??= externalId;
    if (result === 'finding') world.findings.add(`${id} ${state}-but-${outcome}`);
  };

const isFinal = (state: PayoutState): boolean => state === 'refused' || state === 'returned';

function expectedOf({ state, externalId }: Expected, outcome: OutcomeBody['outcome'], name?: string): string {
  if (state === 'review') return 'not-found';
  if (name !== undefined && externalId !== undefined && name !== externalId) return 'finding';
  const ended = NEXT_STATES[state].every((next) => next === 'returned');
  const isLate = (outcome === 'processing' || outcome === 'needs-user') && (ended || state === outcome);
  const repeats = state === outcome || (state === 'returned' && outcome === 'paid');
  if (isLate || repeats) return 'unchanged';
  return NEXT_STATES[state].includes(outcome) ? 'applied' : 'finding';
}

/** Two people end a payout that its channel does not report. */
const resolve =
  (which: number, outcome: 'paid' | 'refused'): Step =>
  async (world) => {
    const payout = world.payouts[which % Math.max(world.payouts.length, 1)];
    if (!payout) return;
    const { books } = world;
    const asking = books.resolutions.askToResolve(requestOf('asker'), payout.id, {
      outcome,
      evidence: 'a statement',
    });
    const isOpen = ['reserved', 'processing', 'needs-user'].includes(payout.state);
    if (!isOpen) return expect(await codeOf(asking)).toBe('payout.not_open');
    await books.approvals.approve(requestOf('decider'), (await asking).id);
    payout.state = outcome;
  };

const anyPayout = fc.nat({ max: 9 });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constantFrom(...USERS), fc.bigInt({ min: 1n, max: 60_00n })).map((of) => ask(...of)),
  fc.tuple(anyPayout, fc.constantFrom<Decision>('approve', 'reject')).map((of) => decide(...of)),
  fc
    .tuple(
      anyPayout,
      fc.constantFrom(...OUTCOMES),
      fc.option(fc.constantFrom('t-1', 't-2'), { nil: undefined }),
    )
    .map((of) => report(...of)),
  fc.tuple(anyPayout, fc.constantFrom('paid' as const, 'refused' as const)).map((of) => resolve(...of)),
);

describe('payouts', () => {
  let channelId: string;
  let story = 0;

  shareBooks({ APPROVAL_ABOVE: '40.00' });

  beforeAll(async () => {
    channelId = await books.createChannel();
  });

  const newWorld = async (): Promise<World> => {
    story += 1;
    const nameOf = (user: User) => `${user}-${story}`;
    for (const user of USERS) await books.deposit(nameOf(user), START);
    return new World(books, channelId, nameOf, await books.balance(channelId, 'outbound'));
  };

  it('keep the wallets, outbound and outside in step with their states, whatever is reported, decided and repeated', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 18 }), async (steps) => {
        const world = await newWorld();
        for (const step of steps) {
          await step(world);
          await world.check();
        }
      }),
      storyOptions,
    );
  }, 300_000);

  it('have only the states of the table, and the database refuses to change payouts that have ended', async () => {
    expect(Object.keys(NEXT_STATES)).toEqual([...PAYOUT_STATES]);
    const world = await newWorld();
    await ask('ann', 1n)(world);
    await report(0, 'refused')(world);
    const change = books.dataSource.query(`update payout set state = 'paid' where id = $1`, [
      world.payouts[0]!.id,
    ]);
    await expect(change).rejects.toThrow();
    await world.check();
  });
});
