import type { DataSource } from 'typeorm';
import { ActivityRepository } from '../../src/core/activity';
import { CreditOutlet } from '../../src/core/outlet';
import { ProofRepository } from '../../src/core/reconciliation/proof.repository';
import { ReconciliationService } from '../../src/core/reconciliation/reconciliation.service';
import { OPERATOR } from '../harness/books';
import { type History, writeHistory } from '../harness/history';
import { books, dispensing, rain, shareRain } from '../harness/shared-books';

let history: History;
let reconciliation: ReconciliationService;

shareRain();

beforeAll(async () => {
  history = await writeHistory(rain);
  reconciliation = reconciliationOver(books.dataSource);
});

const reconciliationOver = (dataSource: DataSource): ReconciliationService =>
  new ReconciliationService(
    new ActivityRepository(dataSource),
    new ProofRepository(dataSource),
    dispensing.standings,
    books.currencies,
    new CreditOutlet(),
  );

/** Returns the proof of an activity after some harm, and undoes the harm. */
function proofAfter(activityId: string, ...harm: string[]) {
  return books.undoing(async (tx) => {
    for (const sql of harm) await tx.query(sql, sql.includes('$1') ? [activityId] : []);
    return reconciliationOver(tx as unknown as DataSource).prove(activityId, OPERATOR);
  });
}

const EQUATION = 'funded = credited + pending + dead + void + refunded + unclaimed';
const ONE_STATE = 'every claim is credited, pending, dead or void, and only one of them';

const escrow = `(select escrow_account_id from activity where id = $1)`;

/** Breaches, each with the check that must see it; `$1` is the id of the activity. */
const BREACHES: [check: string, what: string, activity: keyof History, sql: string][] = [
  [
    'funded = total',
    'a larger total',
    'untouched',
    `update activity set total_minor = total_minor + 1 where id = $1`,
  ],
  [
    'funded = total',
    'no money for a top-up',
    'toppedUp',
    `delete from transfer where kind = 'top-up' and activity_id = $1`,
  ],
  ['funded = total', 'no money', 'untouched', `delete from transfer where kind = 'fund' and source_id = $1`],
  [
    'sum of packets = total',
    'a larger packet',
    'untouched',
    `update packet set amount_minor = amount_minor + 1 where activity_id = $1`,
  ],
  [
    'number of packets',
    'a larger number',
    'untouched',
    `update activity set packet_count = packet_count + 1 where id = $1`,
  ],
  ['number of packets', 'one packet more', 'untouched', `insert into packet values ($1, 9, 1)`],
  [
    EQUATION,
    'a void claim whose money stayed',
    'voided',
    `delete from transfer where kind = 'void' and activity_id = $1`,
  ],
  [
    ONE_STATE,
    'a void claim that is pending',
    'voided',
    `insert into unsettled_claim (claim_id, activity_id, user_id, amount_minor)
     select id, activity_id, user_id, amount_minor from claim where activity_id = $1`,
  ],
  [EQUATION, 'no refund', 'closed', `delete from transfer where kind = 'refund' and source_id = $1`],
  [
    EQUATION,
    'a smaller refund',
    'cancelled',
    `update transfer set amount_minor = amount_minor - 1 where kind = 'refund' and source_id = $1`,
  ],
  [
    'escrow = funded - credited - void - refunded',
    'a poorer escrow',
    'open',
    `update account set balance_minor = balance_minor - 1 where id = ${escrow}`,
  ],
  [
    ONE_STATE,
    'a claim that nobody will pay',
    'open',
    `delete from unsettled_claim where claim_id in (select id from claim where activity_id = $1)`,
  ],
  [
    ONE_STATE,
    'a paid claim that is pending',
    'closed',
    `insert into unsettled_claim (claim_id, activity_id, user_id, amount_minor)
     select id, activity_id, user_id, amount_minor from claim where activity_id = $1`,
  ],
  [
    'no refund before the close',
    'an early refund',
    'open',
    `insert into transfer (kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor)
     select 'refund', id, id, escrow_account_id, sponsor_account_id, 1 from activity where id = $1`,
  ],
  ['no more claims than packets', 'no packets', 'closed', `delete from packet where activity_id = $1`],
];

describe('the proof of an activity', () => {
  it.each(['open', 'untouched', 'toppedUp', 'voided', 'closed', 'cancelled'] as const)(
    'is balanced: %s',
    async (which) => {
      const { verdict, checks } = await reconciliation.prove(history[which], OPERATOR);
      expect(checks.filter(({ holds }) => !holds)).toEqual([]);
      expect(verdict).toBe('balanced');
    },
  );

  it('shows every number of the equation', async () => {
    const amounts = await books.packetAmounts(history.open);
    const claim = async (user: string) => (await books.wonPackets.findClaim(history.open, user))!.amountMinor;
    const [ann, bob, cem, dan] = await Promise.all(['ann', 'bob', 'cem', 'dan'].map(claim));
    const money = (minor: bigint) => books.currency.format(minor);
    const left = amounts.reduce((sum, amount) => sum + amount, 0n) - (ann! + bob! + cem! + dan!);

    expect(await reconciliation.prove(history.open, OPERATOR)).toMatchObject({
      funded: '10.00',
      credited: money(ann! + bob!),
      pending: money(dan!),
      dead: money(cem!),
      refunded: '0.00',
      unclaimed: money(left),
      escrowBalance: money(1_000n - ann! - bob!),
      packets: { total: 6, claimed: 4 },
      claims: { credited: 2, pending: 1, dead: 1, void: 0 },
      redis: { status: 'open', packetsLeft: 2, held: 4, agrees: true },
    });
  });

  it('shows what is void, and what replaced it', async () => {
    expect(await reconciliation.prove(history.voided, OPERATOR)).toMatchObject({
      funded: '6.00',
      credited: '0.00',
      void: '3.00',
      refunded: '0.00',
      unclaimed: '3.00',
      escrowBalance: '3.00',
      packets: { total: 2, claimed: 1 },
      claims: { credited: 0, pending: 0, dead: 0, void: 1 },
      redis: { status: 'open', packetsLeft: 1, held: 1, agrees: true },
    });
  });

  it('has a planted breach for every check', async () => {
    const { checks } = await reconciliation.prove(history.open, OPERATOR);
    expect(new Set(BREACHES.map(([check]) => check))).toEqual(new Set(checks.map(({ name }) => name)));
  });

  it.each(BREACHES)('breaks at "%s" when there is %s', async (check, _what, which, sql) => {
    const { verdict, checks } = await proofAfter(history[which], sql);
    expect(checks.filter(({ holds }) => !holds).map(({ name }) => name)).toContain(check);
    expect(verdict).toBe('broken');
  });

  it('breaks when a claim is paid twice', async () => {
    const { verdict } = await proofAfter(
      history.open,
      `alter table transfer drop constraint transfer_once`,
      `alter table account drop constraint account_balance_not_negative`,
      `with again as (
         insert into transfer (kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor)
         select kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor
           from transfer where kind = 'credit' and activity_id = $1 order by id limit 1
         returning *
       )
       update account
          set balance_minor = balance_minor + case when account.id = credit_account_id then 1 else -1 end * amount_minor
         from again where account.id in (debit_account_id, credit_account_id)`,
    );
    expect(verdict).toBe('broken');
  });

  describe('says that Redis does not agree', () => {
    const agreesAbout = async (id: string) => (await reconciliation.prove(id, OPERATOR)).redis.agrees;
    const keysOf = (id: string) => dispensing.keys.activity(id);
    const allKeysOf = (id: string) => Object.values(keysOf(id)) as string[];
    const set = (id: string, what: string) =>
      books.dataSource.query(`update activity set ${what} where id = $1`, [id]);

    async function rainOf(...userIds: string[]): Promise<string> {
      const id = await rain.openRain({ packets: 3 });
      await rain.grab(id, ...userIds);
      return id;
    }

    it('about an active activity that Redis lacks, unless it has only just been created', async () => {
      const id = await rainOf('ann');
      expect(await agreesAbout(id)).toBe(true);
      await dispensing.redis.del(...allKeysOf(id));
      expect(await agreesAbout(id)).toBe(true);
      await set(id, `created_at = now() - interval '61 seconds'`);
      expect(await agreesAbout(id)).toBe(false);
    });

    it('about an active activity that Redis has long considered closed', async () => {
      const id = await rainOf('ann');
      await dispensing.close(id, 'any-time', await dispensing.window());
      expect(await agreesAbout(id)).toBe(true);
      await dispensing.redis.hset(keysOf(id).state, 'endedAt', (await dispensing.nowMs()) - 61_000);
      expect(await agreesAbout(id)).toBe(false);
    });

    it('about an ended activity of which Redis promises a win that Postgres lacks', async () => {
      const id = await rainOf('ann', 'bob');
      await rain.end(id);
      await set(id, 'tidied_at = now()');
      expect(await agreesAbout(id)).toBe(true);
      await dispensing.redis.hset(keysOf(id).claims, 'eve', '3:100!');
      expect(await agreesAbout(id)).toBe(false);
    });

    it('about an ended activity that Redis considers open again, or holds although it is forgotten', async () => {
      const id = await rainOf('ann');
      await rain.end(id);
      await set(id, 'tidied_at = now()');
      await dispensing.redis.hset(keysOf(id).state, 'status', 'open');
      expect(await agreesAbout(id)).toBe(false);
      await dispensing.redis.hset(keysOf(id).state, 'status', 'closed');
      await set(id, 'forgotten_at = now()');
      expect(await agreesAbout(id)).toBe(false);
      await dispensing.redis.del(...allKeysOf(id));
      expect(await agreesAbout(id)).toBe(true);
    });

    it('about no activity that is topped up or ended between the reads of Postgres and Redis', async () => {
      const id = await rainOf('ann');
      for (const change of [() => rain.topUp(id, { packets: 2 }), () => rain.end(id)]) {
        const { standings } = dispensing;
        const look = standings.whole.bind(standings);
        const looking = jest.spyOn(standings, 'whole').mockImplementation(async (activity) => {
          looking.mockRestore();
          await change();
          return look(activity);
        });
        expect(await agreesAbout(id)).toBe(true);
      }
    });
  });
});
