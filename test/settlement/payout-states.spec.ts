import type { EntityManager } from 'typeorm';
import {
  hasEnded,
  NEXT_STATES,
  PAYOUT_STATES,
  type PayoutState,
} from '../../src/extensions/payout/book/payout-state';
import { PayoutRow } from '../../src/extensions/payout/book/payout.entity';
import { StateRepository } from '../../src/extensions/payout/book/state.repository';
import { ask, createChannel } from '../harness/channel-calls';
import { books, shareBooks } from '../harness/shared-books';

let id: string;
let states: StateRepository;

shareBooks({ WEBHOOK_PRIVATE_ADDRESSES: 'true' });

beforeAll(async () => {
  states = books.serviceOf(StateRepository);
  id = await ask(await createChannel(), 'in-every-state');
});

type Statement = (tx: EntityManager, payout: PayoutRow) => Promise<unknown>;

/** Returns the state after the statement, or undefined if it was refused. Everything is undone. */
async function after(state: PayoutState, statement: Statement): Promise<PayoutState | undefined> {
  const runner = books.dataSource.createQueryRunner();
  const tx = runner.manager;
  await runner.startTransaction();
  try {
    await tx.query('update payout set state = $2, ended_at = case when $3 then now() end where id = $1', [
      id,
      state,
      hasEnded(state),
    ]);
    await statement(tx, await tx.findOneByOrFail(PayoutRow, { id }));
    return (await tx.findOneByOrFail(PayoutRow, { id })).state;
  } catch (error) {
    expect(String(error)).toContain(`Payout ${id} is ${state}, not to be`);
    return undefined;
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

/** Compares the effect of the statement on each state with the table. */
async function expectAsInTable(next: PayoutState, statement: Statement): Promise<void> {
  for (const state of PAYOUT_STATES) {
    const found = await after(state, statement);
    const mayFollow = NEXT_STATES[state].includes(next);
    expect([state, found === next && found !== state]).toEqual([state, mayFollow]);
  }
}

it.each(PAYOUT_STATES)('a change makes a payout %s only where the table of states allows it', (next) =>
  expectAsInTable(next, (tx, payout) => states.change(tx, payout, { state: next }, {})),
);

it('a call that pays makes a payout `sending` only where the table of states allows it', () =>
  expectAsInTable('sending', (tx, payout) => states.recordCalls(tx, [{ ...payout, method: 'PUT' }], 1)));

it('a call that asks makes a payout `unknown` if its worker was lost, and changes no other state', async () => {
  for (const state of PAYOUT_STATES.filter((open) => !hasEnded(open)))
    expect([
      state,
      await after(state, (tx, payout) => states.recordCalls(tx, [{ ...payout, method: 'GET' }], 1)),
    ]).toEqual([state, state === 'sending' ? 'unknown' : state]);
});

it('payments that are posted together make payouts `paid` only where the table of states allows it', () =>
  expectAsInTable('paid', (tx, { calls: call, createdAt }) => states.endPaid(tx, [{ id, call, createdAt }])));
