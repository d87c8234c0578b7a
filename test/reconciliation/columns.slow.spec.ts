import type { DataSource, EntityManager } from 'typeorm';
import { Foundation } from '../../src/core/reconciliation/foundation';
import { RedisAgreement } from '../../src/core/reconciliation/redis-agreement';
import { VerificationService } from '../../src/core/reconciliation/verification.service';
import { invariants } from '../../src/invariants';
import { schema } from '../../src/schema';
import { type Rows, unseenEdits } from '../harness/edits';
import { books, dispensing, rain, shareRain } from '../harness/shared-books';
import { writeWholeHistory } from '../harness/whole-history';

shareRain();

/** Tables whose columns `seals.slow.spec.ts` edits. */
const SEALED = [
  ...['account', 'activity', 'carried', 'claim', 'dead_letter', 'packet', 'packet_batch', 'seal', 'top_up'],
  'transfer',
];

const columns = (table: string, names: string): string[] =>
  names.split(' ').map((name) => `${table}.${name}`);

/** Columns that `verify` does not read, by the reason why they decide about no money and no win. */
const UNREAD: Readonly<Record<string, readonly string[]>> = {
  'who has asked and decided, and when; the audit log has it as well': [
    ...columns('approval', 'id asked_at asked_by decided_at decided_by expires_at reason terms'),
    ...columns(
      'payout_finding',
      'id channel_id payout_id kind line detail owner found_at ended_at ended_by resolution statement_id',
    ),
  ],
  'what is told about deeds, which are proven by their rows': [
    ...columns('audit_log', 'id at actor_id action subject via before after detail'),
    ...columns('payout_event', 'payout_id at state detail'),
    ...columns('payout_news', 'payout_event_id'),
    ...columns('payout', 'code action'),
  ],
  'what staff have set, and the audit log has': [
    ...columns('budget', 'per_day_minor'),
    ...columns('currency', 'name created_at'),
    ...columns('payout_channel', 'name profile is_paused url secret former_secret former_secret_until'),
    ...columns('payout_channel', 'created_at deleted_at'),
  ],
  'what was spent on days beside the present one, which counts when a clock comes back': [
    ...columns('budget', 'days'),
  ],
  'a checkpoint before the last, which those who watch the log have': [
    ...columns('claim_checkpoint', 'claims_to root note verifier_key signed_at'),
    ...columns('claim_salt', 'leaf_index'),
  ],
  'where the chain of credits goes on for an earlier day, which adds up only if it does': [
    ...columns('wallet_statement', 'credit_in'),
  ],
  'which statements a run without --all has still to prove': [
    ...columns('wallet_statement_unproven', 'account_id day'),
  ],
  'what a coming activity is drawn from; I22 compares the word of one that was drawn': [
    ...columns('seed_commitment', 'commitment expires_at seed taken_for user_id'),
  ],
  'an answer that is given again within a day': [
    ...columns('idempotency_key', 'principal key fingerprint status response created_at'),
  ],
  'when and how a payout is called or a credit is tried next': [
    ...columns(
      'payout',
      'attempt calls currency_calls created_at due_at ended_at first_sent_at last_sent_at leased_until not_found setbacks',
    ),
    ...columns('payout_credit', 'due_at released_at'),
    ...columns('unsettled_claim', 'attempts last_error queued_at'),
  ],
  'what a pool is called, and when its codes moved': [
    ...columns('code_pool', 'name created_at'),
    ...columns('code_reserved', 'returned_at'),
    ...columns('code_showing', 'first_shown_at'),
  ],
  'what only CODE_SEAL_KEY opens, which refuses it in another place or when it was changed': [
    ...columns('code', 'digest sealed'),
    ...columns('code_pool', 'wrapped_key'),
  ],
  'what I14 compares, and this test leaves out': [
    ...columns('migrations', 'id timestamp name serves'),
    ...columns('setting', 'name value'),
    ...columns('stored_function', 'checksum definition file program signature'),
  ],
};

/** Tables without a row in this history, and what detects edits of them, or why nothing has to. */
const EMPTY: Readonly<Record<string, string>> = {
  activity_audience: 'says who may know of an activity, which moves no money',
  archive: 'archive.slow.spec.ts tampers with it',
  archive_balance: 'archive.slow.spec.ts tampers with it',
  archive_revision: 'only the owner writes it, and --archive compares the files with its last digest',
  audit_archive: 'audit-archive.slow.spec.ts tampers with it',
  claim_cosignature: 'what a witness has signed, which everybody checks who trusts its key',
  claim_log_node: 'it begins at 256 leaves, and claim-log.spec.ts tampers with it',
  deposit_reference: 'a name in lists',
  erasure: 'forgetting.spec.ts plays one, and I39 sees a pseudonym without it',
  payout_pace: 'I27 sees its sum of the day; all else is how fast a channel is called',
  payout_stated: 'what a file says, beside the books; a difference has become a finding',
  payout_statement: 'which file of a day counts; the file can be sent again',
  received_total: 'sums that lists show, which are counted again when the row is lost',
  rehearsal_report: 'how a rehearsal in play money went, which a person may report again',
  seal_revision: 'forgetting.spec.ts tampers with it',
  sender_day_count: 'what a user may still send today; the deeds are in the audit log',
  series: 'when activities are created, which move money by their own rows',
  series_occurrence: 'which activity is of which series, or why there is none',
  solo_deed: 'what a person may still do alone today; the deeds are in the audit log',
  tap_minute: 'counts of taps, which decide about nothing',
  thanks: 'what winners said to senders',
  ticket_key: 'who may let users in; whoever did is not known later',
  undelivered_message: 'news that are to be sent again',
  wallet_statement_walk:
    'where the search for a day goes on; I41 sees a statement that was made from a wrong place',
  webhook: 'where news are sent',
};

const tablesWith = async (tx: EntityManager): Promise<string[]> => {
  const rows = await tx.query<{ name: string }[]>(
    `select relname as name from pg_class
      where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace order by 1`,
  );
  return rows.map(({ name }) => name).filter((name) => !SEALED.includes(name));
};

const isEmpty = async (tx: EntityManager, table: string): Promise<boolean> =>
  (await tx.query<unknown[]>(`select from ${table} limit 1`)).length === 0;

/** Checks invariants in turn, and ends at the first that is broken. I14 sees that rules are gone. */
async function isSeen(tx: EntityManager): Promise<boolean> {
  for (const { sql } of invariants.statements) {
    const [row] = await tx.query<{ breaches: string }[]>(sql);
    if (row!.breaches !== '0') return true;
  }
  const within = {
    transaction: (_isolation: string, work: (tx: EntityManager) => unknown) => work(tx),
    query: tx.query.bind(tx),
  } as unknown as DataSource;
  const agreement = new RedisAgreement(within, dispensing.contents, dispensing.standings);
  const service = new VerificationService(
    within,
    agreement,
    new Foundation(books.config, schema),
    invariants,
  );
  const rest = [await service['drawAgain'](), ...(await service['compute'](true))];
  return rest.some(({ breaches }) => breaches > 0);
}

describe('a column of a table that is not sealed', () => {
  beforeAll(() => writeWholeHistory(rain));

  it('is read by verify --all, or is listed here with the reason why it does not matter', async () => {
    const unseen = await books.undoing(async (tx) => {
      await tx.query(`update unsettled_claim set queued_at = now()`);
      const rows: Record<string, readonly [string, string]> = {};
      const empty: string[] = [];
      for (const table of await tablesWith(tx)) {
        if (await isEmpty(tx, table)) empty.push(table);
        else rows[table] = [table, `(ctid, tableoid) = (select ctid, tableoid from ${table} limit 1)`];
      }
      expect(empty).toEqual(Object.keys(EMPTY).sort());
      return unseenEdits(tx, rows satisfies Rows, () => isSeen(tx));
    });
    expect(unseen.sort()).toEqual(Object.values(UNREAD).flat().sort());
  });
});
