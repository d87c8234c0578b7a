import fc from 'fast-check';
import type { ChannelRow } from '../../src/extensions/payout/channel/channel.entity';
import type { PayoutState } from '../../src/extensions/payout/book/payout-state';
import type { CallResult } from '../../src/extensions/payout/send/protocol';
import type { Call } from '../../src/extensions/payout/send/due.repository';
import type { Books } from '../harness/books';
import { createChannel } from '../harness/channel-calls';
import { books, expectProven, shareCallingBooks } from '../harness/shared-books';
import { storyOptions } from './stories';

const START = 10_00n;
const USERS = 5;
const PAYOUTS_EACH = 2;
const ROUNDS_MAX = 60;

type Decision = 'paid' | 'refused' | 'late' | 'busy';
type Answer = 'truth' | 'unclear';

/** A call that has been made, and may not have reached the receiver yet. */
interface Flight {
  readonly call: Call;
  /** True if nothing of it can reach the receiver any more. */
  isOver: boolean;
  /** The answer of the receiver. */
  truth?: CallResult;
}

interface Row {
  readonly id: string;
  readonly userId: string;
  readonly amountMinor: bigint;
  readonly state: PayoutState;
}

type Step = (world: World) => Promise<void>;

const outcomeOf = (outcome: 'paid' | 'refused'): CallResult => ({
  kind: 'outcome',
  outcome,
  ...(outcome === 'paid' ? { externalId: 'T' } : { code: 'user-closed' }),
});

const UNCLEAR: CallResult = { kind: 'unknown', reason: 'did not answer in time' };

/** The books, a receiver that decides once, and the calls between them. */
class World {
  readonly flights: Flight[] = [];
  readonly decided = new Map<string, 'paid' | 'refused'>();
  /** Payments that the receiver has accepted and does not find yet. */
  readonly pending = new Set<string>();
  readonly findings = new Set<string>();

  constructor(
    readonly books: Books,
    readonly channel: ChannelRow,
    readonly users: readonly string[],
  ) {}

  async rows(): Promise<Row[]> {
    const rows = await this.books.dataSource.query<(Omit<Row, 'amountMinor'> & { amountMinor: string })[]>(
      `select id, user_id as "userId", amount_minor as "amountMinor", state from payout where channel_id = $1 order by id`,
      [this.channel.id],
    );
    return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }));
  }

  /** Expects one call of a payout at a time, and no payment while an earlier payment may still be made. */
  async claim(): Promise<void> {
    for (const call of await this.books.calls.take(this.channel)) {
      const { id, method } = call;
      expect(this.flights.filter((flight) => flight.call.id === id && !flight.isOver)).toEqual([]);
      if (method === 'PUT') expect([...this.pending]).not.toContain(id);
      this.flights.push({ call, isOver: false });
    }
  }

  arrive(flight: Flight, decision: Decision): void {
    if (flight.isOver) return;
    flight.isOver = true;
    const { id, method } = flight.call;
    if (method === 'PUT' && !this.decided.has(id)) {
      if (decision === 'late') return void this.pending.add(id);
      const stops = Number(id) % 2 === 0 ? 'calls' : 'payments';
      if (decision === 'busy')
        return void (flight.truth = { kind: 'full', reason: 'busy', stops, waitSeconds: 1 });
      this.decided.set(id, decision);
    }
    const outcome = this.decided.get(id);
    flight.truth = outcome ? outcomeOf(outcome) : { kind: 'not-found' };
  }

  land(): void {
    for (const id of this.pending) if (!this.decided.has(id)) this.decided.set(id, 'paid');
    this.pending.clear();
  }

  /** The timeouts and leases of all calls expire; after a long time, so does the quarantine. */
  async pass(isLong: boolean): Promise<void> {
    for (const flight of this.flights) flight.isOver = true;
    if (isLong) this.land();
    const { dataSource } = this.books;
    await dataSource.query(
      `update payout
          set leased_until = null, due_at = now(),
              last_sent_at = case when $2 then last_sent_at - interval '1 hour' else last_sent_at end
        where channel_id = $1 and ended_at is null`,
      [this.channel.id, isLong],
    );
    await dataSource.query(
      `update payout_pace
          set held_until = now(), payments_held_until = now(), filled_at = now() - interval '1 minute',
              open_until = case when open_until is not null then now() end
        where channel_id = $1`,
      [this.channel.id],
    );
  }

  /** Payments arrive too late to be answered or found, and the channel is asked for those before. */
  async delay(): Promise<void> {
    await this.pass(false);
    await this.claim();
    for (const flight of this.flights.filter(({ isOver }) => !isOver)) {
      this.arrive(flight, 'late');
      await this.books.answers.apply(flight.call, flight.truth ?? UNCLEAR);
    }
  }

  /** An answer that contradicts how a payout has ended changes nothing, and is found. */
  async contradict({ call }: Flight): Promise<void> {
    const state = (await this.rows()).find(({ id }) => id === call.id)!.state;
    if (state !== 'paid' && state !== 'refused') return;
    const outcome = state === 'paid' ? 'refused' : 'paid';
    await this.books.answers.apply(call, outcomeOf(outcome));
    this.findings.add(`${call.id} ${state}-but-${outcome}`);
  }

  async check(): Promise<void> {
    const rows = await this.rows();
    const sumOf = (some: readonly Row[]) => some.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
    const inWallet = ({ state }: Row) => state === 'refused';
    for (const user of this.users) {
      const away = sumOf(rows.filter((row) => row.userId === user && !inWallet(row)));
      expect(await this.books.balance(user)).toBe(START - away);
    }
    const open = rows.filter(({ state }) => state !== 'paid' && state !== 'refused');
    expect(await this.books.balance(this.channel.id, 'outbound')).toBe(sumOf(open));
    for (const { id, state } of rows) {
      if (state === 'refused')
        expect([id, this.decided.get(id), this.pending.has(id)]).toEqual([id, 'refused', false]);
      if (state === 'paid') expect([id, this.decided.get(id)]).toEqual([id, 'paid']);
    }
    await expectProven(['I18']);
    const found = await this.books.dataSource.query<{ finding: string }[]>(
      `select payout_id || ' ' || kind as finding from payout_finding where channel_id = $1`,
      [this.channel.id],
    );
    expect(new Set(found.map(({ finding }) => finding))).toEqual(this.findings);
  }

  /** The receiver answers everything from now on. */
  async finish(): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      await this.pass(true);
      await this.claim();
      for (const flight of this.flights.filter(({ isOver }) => !isOver)) {
        this.arrive(flight, 'paid');
        await this.books.answers.apply(flight.call, flight.truth!);
      }
      const ended = (await this.rows()).every(({ state }) => state === 'paid' || state === 'refused');
      if (ended) break;
    }
    await this.check();
    expect(await this.books.balance(this.channel.id, 'outbound')).toBe(0n);
  }
}

const onFlight =
  (which: number, step: (world: World, flight: Flight) => void | Promise<void>): Step =>
  async (world) => {
    const flight = world.flights.at(-1 - (which % Math.max(world.flights.length, 1)));
    if (flight) await step(world, flight);
  };

/**
 * Answers come late, repeated and in any order; an unclear one may hide any truth. A call that has not
 * arrived when its caller gives up never does: a late arrival is a separate decision.
 */
const answer = (which: number, how: Answer): Step =>
  onFlight(which, async ({ books }, flight) => {
    if (how === 'unclear') flight.isOver = true;
    const verdict = how === 'unclear' ? UNCLEAR : flight.truth;
    if (verdict) await books.answers.apply(flight.call, verdict);
  });

const decisions: readonly Decision[] = ['paid', 'paid', 'refused', 'late', 'busy'];
const anyFlight = fc.nat({ max: 9 });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Step>((world) => world.claim()) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(anyFlight, fc.constantFrom(...decisions))
      .map(([which, decision]) => onFlight(which, (world, flight) => world.arrive(flight, decision))),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(anyFlight, fc.constantFrom<Answer>('truth', 'truth', 'unclear'))
      .map((of) => answer(...of)),
  },
  {
    weight: 3,
    arbitrary: fc.boolean().map(
      (isLong): Step =>
        (world) =>
          world.pass(isLong),
    ),
  },
  { weight: 5, arbitrary: fc.constant<Step>((world) => world.delay()) },
  { weight: 1, arbitrary: fc.constant<Step>(async (world) => world.land()) },
  {
    weight: 1,
    arbitrary: anyFlight.map((which) => onFlight(which, (world, flight) => world.contradict(flight))),
  },
);

describe('payouts through a channel that is called', () => {
  let story = 0;

  shareCallingBooks();

  const newWorld = async (): Promise<World> => {
    story += 1;
    await books.retireChannels();
    const pace = { perSecond: 100, quarantineSeconds: 1_800, timeoutMs: 60_000 };
    const channel = await createChannel(pace);
    const users = Array.from({ length: USERS }, (_, i) => `caller-${story}-${i}`);
    for (const user of users) {
      await books.deposit(user, START);
      for (let i = 1; i <= PAYOUTS_EACH; i++) await books.askForPayout(user, channel.id, `${i}.00`);
    }
    return new World(books, channel, users);
  };

  it('are paid once or returned to the wallet, whether answers are late, repeated, lost or contradictory', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 40 }), async (steps) => {
        const world = await newWorld();
        for (const one of steps) {
          await one(world);
          await world.check();
        }
        await world.finish();
      }),
      // Each story takes seconds, so failing stories are not shrunk.
      { ...storyOptions, endOnFailure: true },
    );
  }, 300_000);
});
