import type { History } from '../harness/history';

const claimOf = (user: string, activity = 'open') =>
  `(select id from claim where user_id = '${user}' and activity_id = {${activity}})`;
const walletOf = (user: string) => `(select id from account where kind = 'wallet' and owner_id = '${user}')`;
const escrowOf = (activity: string) => `(select escrow_account_id from activity where id = {${activity}})`;
const CREDIT = `kind = 'credit' and source_id = ${claimOf('ann')}`;

const withoutRule = (table: string, rule: string) => `alter table ${table} drop constraint ${rule}`;

const COLUMNS = 'kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor';
const unpaid = (which: string) =>
  `insert into unsettled_claim (claim_id, activity_id, user_id, amount_minor)
   select id, activity_id, user_id, amount_minor from claim where ${which}`;
const transfer = (values: string) => `insert into transfer (${COLUMNS}) values (${values})`;
const again = (which: string) =>
  `insert into transfer (${COLUMNS}) select ${COLUMNS} from transfer where ${which}`;

const payoutOf = (state: string) =>
  `(select min(id) from payout where user_id = 'uma' and state = '${state}')`;
const outbound = `(select id from account where kind = 'outbound')`;
const funding = `(select id from account where kind = 'funding' and currency_number = 0)`;
const fundingOfCodes = `(select id from account where kind = 'funding' and currency_number > 0)`;
const givingCodes = `(select max(activity_id) from code_reserved)`;

const deleteCheckpoints = (which: string) => `delete from claim_checkpoint where ${which}`;
const SENT = '(payout_id is not null)';
const withoutTriggers = 'alter table payout_credit disable trigger user';

const sourceOf = (status: string) =>
  `(select source_id from approval where action = 'wallet.deposit' and status = '${status}')`;
const depositOf = (status: string) => `kind = 'deposit' and source_id = ${sourceOf(status)}`;

/** Moves an amount between two accounts without a transfer in the ledger. */
const shift = (from: string, to: string, amount: string) =>
  `update account set balance_minor = balance_minor + case when id = ${to} then 1 else -1 end * ${amount}
    where id in (${from}, ${to})`;

/** Damage to the books. `{open}` stands for the id of that activity. */
export const BREACHES: Record<string, [what: string, ...sql: string[]][]> = {
  I1: [
    [
      'a transfer of zero',
      withoutRule('transfer', 'transfer_amount_positive'),
      `update transfer set amount_minor = 0 where ${CREDIT}`,
    ],
    [
      'a transfer to itself',
      withoutRule('transfer', 'transfer_accounts_differ'),
      `update transfer set credit_account_id = debit_account_id where ${CREDIT}`,
    ],
    [
      'a transfer to an account that does not exist',
      `update transfer set credit_account_id = 999999 where ${CREDIT}`,
    ],
    [
      'a transfer between two currencies',
      withoutRule('account', 'account_currency_known'),
      `update account set currency = 'USD' where id = ${walletOf('bob')}`,
    ],
    [
      'an activity in another currency than its escrow',
      `update activity set currency = 'USD' where id = {closed}`,
    ],
    [
      'a credit into an escrow',
      `update transfer set credit_account_id = ${escrowOf('closed')} where ${CREDIT}`,
    ],
    [
      'a credit out of another escrow',
      `update transfer set debit_account_id = ${escrowOf('untouched')} where ${CREDIT}`,
    ],
    [
      'an activity that somebody else paid for',
      `update transfer set debit_account_id = ${walletOf('ann')} where kind = 'fund' and source_id = {open}`,
    ],
    [
      'a top-up that somebody else paid for',
      `update transfer set debit_account_id = ${walletOf('ann')} where kind = 'top-up'`,
    ],
    [
      'a refund to somebody else',
      `update transfer set credit_account_id = ${walletOf('ann')} where kind = 'refund' and source_id = {closed}`,
    ],
    [
      'money of a void claim that went to somebody else',
      `update transfer set credit_account_id = ${walletOf('ann')} where kind = 'void'`,
    ],
    [
      'a deposit that a user paid for',
      `update transfer set debit_account_id = ${walletOf('ann')} where kind = 'deposit' and debit_account_id = ${funding}`,
    ],
    [
      'a reversal that pays somebody else',
      `update transfer set credit_account_id = ${walletOf('ann')} where kind = 'reversal'`,
    ],
    [
      'money out of nowhere',
      `update account set balance_minor = balance_minor + 1 where id = ${walletOf('ann')}`,
    ],
  ],
  I2: [
    ['balances that no transfer explains', shift(walletOf('ann'), walletOf('bob'), '1')],
    [
      'a transfer that no balance reflects',
      transfer(`'deposit', 999, null, ${walletOf('ann')}, ${walletOf('bob')}, 1`),
    ],
    [
      'a wallet that owes',
      withoutRule('account', 'account_balance_not_negative'),
      transfer(`'deposit', 999, null, ${walletOf('ann')}, ${walletOf('bob')}, 100000`),
      shift(walletOf('ann'), walletOf('bob'), '100000'),
    ],
  ],
  I3: [
    ['a packet that is missing', `delete from packet where activity_id = {untouched} and no = 1`],
    ['packets that are all missing', `delete from packet where activity_id = {untouched}`],
    ['one packet too many', `insert into packet values ({untouched}, 4, 1)`],
    [
      'packets that do not add up',
      `update packet set amount_minor = amount_minor + 1 where activity_id = {untouched} and no = 1`,
    ],
    [
      'a wrong number of packets',
      `update activity set packet_count = packet_count + 1 where id = {untouched}`,
    ],
    [
      'a packet below its minimum',
      `update activity set split = split || '{"min": "4.99"}' where id = {open}`,
    ],
    [
      'a packet above its maximum',
      `update activity set split = split || '{"max": "0.21"}' where id = {open}`,
    ],
    ['a packet of a top-up below its minimum', `update top_up set split = split || '{"min": "10.01"}'`],
    ['a packet of a top-up above its maximum', `update top_up set split = split || '{"max": "9.99"}'`],
    [
      'a packet that is above the maximum of its activity, though not of the top-up',
      `update activity set split = split || '{"max": "0.99"}' where id = {toppedUp}`,
    ],
    [
      'money that moved from a top-up into the packets before',
      `update packet set amount_minor = amount_minor + case no when 1 then 1 else -1 end
        where activity_id = {toppedUp} and no in (1, 3)`,
    ],
    [
      'top-ups that overlap',
      `insert into top_up (activity_id, amount_minor, packet_count, first_no, split, seed)
       select activity_id, (select amount_minor from packet where activity_id = {toppedUp} and no = 4), 1, 4, '{}', ''
         from top_up`,
    ],
    ['a top-up of no activity', `update top_up set activity_id = 999999`],
  ],
  I4: [
    [
      'two claims for one packet',
      withoutRule('claim', 'claim_packet_once'),
      `update claim
          set (packet_no, amount_minor) = (select packet_no, amount_minor from claim where id = ${claimOf('ann')})
        where id = ${claimOf('dan')}`,
    ],
    [
      'two claims of one user',
      withoutRule('claim', 'claim_user_once'),
      `update claim set user_id = 'cem' where id = ${claimOf('dan')}`,
    ],
    [
      'a claim with another amount than its packet',
      `update claim set amount_minor = amount_minor + 1 where id = ${claimOf('dan')}`,
    ],
    [
      'a claim of a packet that does not exist',
      `update claim set packet_no = 99 where id = ${claimOf('dan')}`,
    ],
  ],
  I5: [
    ['a claim that nothing will pay', `delete from unsettled_claim where claim_id = ${claimOf('dan')}`],
    ['a dead claim without a letter', `delete from dead_letter where claim_id = ${claimOf('cem')}`],
    ['a paid claim that is pending', unpaid(`id = ${claimOf('ann')}`)],
    ['a dead claim that is pending', unpaid(`id = ${claimOf('cem')}`)],
    [
      'a paid claim that is dead',
      `update dead_letter set claim_id = ${claimOf('bob')} where status = 'open'`,
    ],
    [
      'a letter about another amount',
      `update dead_letter set amount_minor = amount_minor + 1 where status = 'open'`,
    ],
    ['a letter about another user', `update dead_letter set user_id = 'ann' where status = 'open'`],
    [
      'a claim that is paid twice',
      withoutRule('transfer', 'transfer_once'),
      withoutRule('account', 'account_balance_not_negative'),
      again(CREDIT),
      shift(
        escrowOf('open'),
        walletOf('ann'),
        `(select amount_minor from claim where id = ${claimOf('ann')})`,
      ),
    ],
    [
      'a claim that is paid to somebody else',
      `update transfer set credit_account_id = ${walletOf('bob')} where ${CREDIT}`,
    ],
    ['a claim that is paid too much', `update transfer set amount_minor = amount_minor + 1 where ${CREDIT}`],
    [
      'a claim that is paid for another activity',
      `update transfer set activity_id = {untouched} where ${CREDIT}`,
    ],
    ['a payment without a claim', `update transfer set source_id = 999999 where ${CREDIT}`],
    [
      'something unpaid that is not a claim',
      `insert into unsettled_claim values (999999, now(), 0, null, {open}, 'nobody', 1)`,
    ],
  ],
  I6: [
    [
      'an escrow that holds too little',
      `update account set balance_minor = balance_minor - 1 where id = ${escrowOf('open')}`,
    ],
    [
      'an activity that was never funded',
      `delete from transfer where kind = 'fund' and activity_id = {untouched}`,
    ],
    [
      'an escrow that keeps the remainder',
      `delete from transfer where kind = 'refund' and activity_id = {closed}`,
    ],
    ['a debt that is counted nowhere', `delete from unsettled_claim where claim_id = ${claimOf('dan')}`],
    ['a debt that is counted twice', unpaid(`id = ${claimOf('ann')}`)],
  ],
  I7: [
    [
      'a refund of an open activity',
      transfer(`'refund', {open}, {open}, ${escrowOf('open')}, ${walletOf('sponsor')}, 1`),
    ],
    [
      'a second refund',
      withoutRule('transfer', 'transfer_once'),
      transfer(`'refund', {closed}, {closed}, ${escrowOf('closed')}, ${walletOf('sponsor')}, 1`),
    ],
    [
      'a refund of too much',
      `update transfer set amount_minor = amount_minor + 1 where kind = 'refund' and source_id = {cancelled}`,
    ],
    ['a refund that did not happen', `delete from transfer where kind = 'refund' and source_id = {closed}`],
    ['an ended activity whose packets are missing', `delete from packet where activity_id = {closed}`],
    [
      'a claim that came after the refund, even one that is dated before it',
      `with late as (
         insert into claim (activity_id, packet_no, user_id, amount_minor, confirmed_at)
         select activity_id, no, 'late', amount_minor, now() - interval '1 hour' from packet
          where activity_id = {closed}
            and no not in (select packet_no from claim where activity_id = {closed}) order by no limit 1
         returning id, activity_id, user_id, amount_minor
       )
       insert into unsettled_claim (claim_id, activity_id, user_id, amount_minor)
       select id, activity_id, user_id, amount_minor from late`,
    ],
  ],
  I10: [
    [
      'a deposit without an answered key',
      `delete from idempotency_key where id = (select min(source_id) from transfer where kind = 'deposit')`,
    ],
    [
      'a deposit whose key was forgotten and whose approval was not given',
      `delete from idempotency_key where id = ${sourceOf('approved')}`,
      'alter table approval disable trigger decision_is_final',
      `update approval set status = 'rejected' where action = 'wallet.deposit' and status = 'approved'`,
    ],
    [
      'two deposits for one key',
      withoutRule('transfer', 'transfer_once'),
      again(`id = (select min(id) from transfer where kind = 'deposit')`),
    ],
  ],
  I11: [
    [
      'a claim that has waited for three minutes',
      `update unsettled_claim set queued_at = now() - interval '3 minutes'`,
    ],
  ],
  I12: [
    ['a top-up that nobody paid for', `delete from transfer where kind = 'top-up'`],
    [
      'a top-up that was paid for with too little',
      `update transfer set amount_minor = 1 where kind = 'top-up'`,
    ],
    ['a top-up of another activity', `update transfer set activity_id = {open} where kind = 'top-up'`],
    [
      'a payment for no top-up',
      `update transfer set source_id = 999999 where kind = 'top-up' and activity_id = {toppedUp}`,
    ],
    ['a top-up that was paid for twice', withoutRule('transfer', 'transfer_once'), again(`kind = 'top-up'`)],
  ],
  I13: [
    ['a void claim whose money stayed', `delete from transfer where kind = 'void'`],
    [
      'a void claim whose money went back in part',
      `update transfer set amount_minor = 1 where kind = 'void'`,
    ],
    ['money that went back for no void claim', `update transfer set source_id = 999999 where kind = 'void'`],
    ['money that went back twice', withoutRule('transfer', 'transfer_once'), again(`kind = 'void'`)],
    ['a packet that replaces a larger one', `update top_up set amount_minor = 1 where replaces_claim_id > 0`],
    [
      'a packet that replaces one that is not void',
      `update top_up set replaces_claim_id = 999999 where replaces_claim_id > 0`,
    ],
    [
      'two packets that replace one',
      withoutRule('top_up', 'top_up_replaces_once'),
      `insert into top_up (activity_id, amount_minor, packet_count, first_no, split, seed, replaces_claim_id)
       select activity_id, amount_minor, 1, 3, split, seed, replaces_claim_id from top_up where replaces_claim_id > 0`,
    ],
  ],
  I15: [
    ['a deposit that was approved and never made', `delete from transfer where ${depositOf('approved')}`],
    [
      'a deposit of more than was approved',
      `update transfer set amount_minor = amount_minor + 1 where ${depositOf('approved')}`,
    ],
    [
      'a deposit that was approved for somebody else',
      `update transfer set credit_account_id = ${walletOf('ann')} where ${depositOf('approved')}`,
    ],
    [
      'a deposit that was made although it was rejected',
      transfer(`'deposit', ${sourceOf('rejected')}, null, ${walletOf('ann')}, ${walletOf('bob')}, 1`),
    ],
    [
      'a deposit that nobody has approved yet',
      transfer(`'deposit', ${sourceOf('pending')}, null, ${walletOf('ann')}, ${walletOf('bob')}, 1`),
    ],
    [
      'two approvals of one deposit',
      `insert into approval (action, subject_id, source_id, amount_minor, terms, asked_by, expires_at, status,
                             decided_by, decided_at, result_id)
       select action, subject_id, source_id, amount_minor, terms, asked_by, expires_at, status, decided_by, decided_at,
              result_id
         from approval where status = 'approved'`,
    ],
    [
      'an approval by the person who asked',
      withoutRule('approval', 'approval_by_another'),
      'alter table approval disable trigger decision_is_final',
      `update approval set decided_by = asked_by where status = 'approved'`,
    ],
    [
      'a deposit in another currency than was approved',
      'alter table approval disable trigger decision_is_final',
      `update approval set currency = 'EUR', approved_in = 'EUR' where status = 'approved' and action = 'wallet.deposit'`,
    ],
    [
      'an approval in another currency than was asked for',
      withoutRule('approval', 'approval_in_its_currency'),
      'alter table approval disable trigger decision_is_final',
      `update approval set approved_in = 'EUR' where status = 'approved' and action = 'wallet.deposit'`,
    ],
    [
      'a creation of more than was approved',
      'alter table approval disable trigger decision_is_final',
      `update approval set amount_minor = amount_minor - 1 where action = 'activity.create'`,
    ],
    [
      'a top-up of another activity than was approved',
      'alter table approval disable trigger decision_is_final',
      `update approval set subject_id = '999' where action = 'activity.top-up'`,
    ],
    [
      'a creation from another wallet than was approved',
      'alter table approval disable trigger decision_is_final',
      `update approval set subject_id = 'eve' where action = 'activity.create'`,
    ],
    ['a reversal that was approved and whose money stayed', `delete from transfer where kind = 'reversal'`],
    [
      'a reversal out of another wallet than was approved',
      'alter table approval disable trigger decision_is_final',
      `update approval set subject_id = 'eve' where action = 'wallet.reverse-deposit'`,
    ],
    ['a void claim that was approved and whose money stayed', `delete from transfer where kind = 'void'`],
    [
      'a payout that was resolved as paid but not posted',
      `delete from transfer where kind = 'payout-paid'
          and source_id = (select source_id from approval where action = 'payout.resolve')`,
    ],
    [
      'a payout that was reserved without an approval',
      `insert into approval (action, subject_id, source_id, amount_minor, terms, asked_by, expires_at)
       select 'payout.reserve', id, id, 1, '{}', 'uma', now() + interval '1 hour' from payout where id = ${payoutOf('paid')}`,
    ],
  ],
  I16: [
    [
      'a credit that refers to a missing credit',
      `update transfer set previous_credit_in = {untouched} where kind = 'credit' and activity_id = {toppedUp}`,
    ],
    [
      'credits that go round in a circle',
      `update transfer set previous_credit_in = {toppedUp}
        where kind = 'credit' and activity_id = {closed} and credit_account_id = ${walletOf('ann')}`,
    ],
  ],
  I17: [
    ['a payout that is paid twice', withoutRule('transfer', 'transfer_once'), again(`kind = 'payout-paid'`)],
    [
      'a payout that is paid and refused',
      transfer(`'payout-refused', ${payoutOf('paid')}, null, ${outbound}, ${walletOf('uma')}, 1`),
    ],
    ['a payout whose payment is not posted', `delete from transfer where kind = 'payout-paid'`],
    ['a refused payout whose money stayed', `delete from transfer where kind = 'payout-refused'`],
    [
      'money that left without a payout',
      transfer(`'payout', 999999, null, ${walletOf('uma')}, ${outbound}, 1`),
    ],
    [
      'a payout under review that has taken its money',
      `update payout set state = 'review' where id = ${payoutOf('processing')}`,
    ],
    ['a payout of more than moved', `update payout set amount_minor = 2 where id = ${payoutOf('paid')}`],
    [
      'a refused payout that went back to somebody else',
      `update transfer set credit_account_id = ${walletOf('ann')} where kind = 'payout-refused'`,
    ],
    [
      'a payout out of somebody else’s wallet',
      `update payout set user_id = 'ann' where id = ${payoutOf('paid')}`,
    ],
    [
      'a channel whose account holds too much',
      `update account set balance_minor = balance_minor + case kind when 'outbound' then 1 else -1 end
        where id in (${outbound}, ${funding})`,
    ],
    [
      'a payout that ended before its money',
      'alter table payout drop constraint payout_ended',
      `update payout set ended_at = now() where id = ${payoutOf('processing')}`,
    ],
  ],
  I18: [
    [
      'a finding that nobody has ended',
      `insert into payout_finding (channel_id, payout_id, kind, detail) select channel_id, id, 'paid-but-refused', '{}'
         from payout where id = ${payoutOf('paid')}`,
    ],
  ],
  I19: [
    ['a credit without a record of its payout', withoutTriggers, `delete from payout_credit where ${SENT}`],
    ['an unsent credit of another amount', `update payout_credit set amount_minor = 1 where not ${SENT}`],
    [
      'a credit that waits for another wallet',
      `update payout_credit set wallet_account_id = ${walletOf('ann')} where not ${SENT}`,
    ],
    [
      'a credit whose rain has no channel',
      `update activity set payout_channel_id = null where payout_channel_id is not null`,
    ],
    [
      'a credit of a rain that was given a channel afterwards',
      `update activity set payout_channel_id = 1 where id = {closed}`,
    ],
    [
      'a credit that was paid out and released',
      withoutTriggers,
      `update payout_credit set payout_id = null, released_at = now() where ${SENT}`,
    ],
    [
      'a credit in somebody else’s payout',
      `update payout_credit set payout_id = ${payoutOf('paid')} where not ${SENT}`,
    ],
    [
      'two credits in a payout of one',
      `update payout_credit set payout_id = (select id from payout where user_id = 'vic') where not ${SENT}`,
    ],
  ],
  I20: [
    [
      'a reversal of less than the deposit',
      `update transfer set amount_minor = amount_minor - 1 where kind = 'reversal'`,
    ],
    [
      'a reversal out of another wallet',
      `update transfer set debit_account_id = ${walletOf('ann')} where kind = 'reversal'`,
    ],
    ['a reversal of nothing', `update transfer set source_id = 999999 where kind = 'reversal'`],
    [
      'a reversal of a transfer other than a deposit',
      `update transfer set source_id = (select min(id) from transfer where kind = 'fund') where kind = 'reversal'`,
    ],
    ['two reversals of one deposit', withoutRule('transfer', 'transfer_once'), again(`kind = 'reversal'`)],
  ],
  I22: [
    [
      'a seed that differs from its commitment',
      `update activity set seed = repeat('a', 64) where id = {open}`,
    ],
    ['a seed of a wrong form', `update activity set seed = 'x' where id = {open}`],
    [
      'a seed of the sponsor that was replaced',
      `update packet_batch
          set terms = regexp_replace(terms, '"sponsorSeed":"[0-9a-f]+', '"sponsorSeed":"' || repeat('e', 64))
        where activity_id = {toppedUp}`,
    ],
    [
      'a seed and a commitment that were replaced together',
      `update activity set seed = repeat('a', 64) where id = {toppedUp}`,
      `update packet_batch
          set commitment = sha256('hongbao.commit.v1\\000'::bytea || decode(repeat('a', 64), 'hex')
                                  || sha256('hongbao.terms.v1\\000'::bytea || convert_to(terms, 'UTF8')))
        where activity_id = {toppedUp} and batch_no = 0`,
    ],

    ['terms that were changed afterwards', `update packet_batch set terms = replace(terms, '"v"', '"w"')`],
    ['terms of a smaller sum', `update packet_batch set terms = replace(terms, '.00"', '.01"')`],
    [
      'a sponsor without their newest commitment',
      `delete from packet_batch where place = (select max(place) from packet_batch)`,
    ],
    ['a commitment that is missing from the chain', `delete from packet_batch where place = 0`],
    ['a commitment to something else', `update packet_batch set commitment = sha256('') where place = 1`],
    ['a batch of no activity', `update packet_batch set activity_id = 999999 where activity_id = {open}`],
    [
      'a batch in somebody else’s chain',
      `update packet_batch set sponsor_id = 'eve' where sponsor_id = 'sponsor'`,
    ],
    [
      'a batch with the number of another',
      `update packet_batch set batch_no = batch_no + 1 where activity_id = {open}`,
    ],
  ],
  I24: [
    ['a win that is not counted', `update win_count set wins = wins - 1`],
    ['a win count that is missing', `delete from win_count`],
    ['a win count that is too high', `update win_count set wins = wins + 1`],
    [
      'a win that no day counts',
      `update win_count set days = (select jsonb_object_agg(key, 1) from jsonb_each(days))`,
    ],
    ['a win count without its days', `update win_count set days = '{}'`],
    ['a day with more wins than the user has', `update win_count set days = days || '{"2000-01-01": 9}'`],
    [
      'a user with more wins than a limit',
      `update activity set limits = limits || '{"perUser": 1}' where limits is not null`,
    ],
    [
      'a user with more wins in a day than a limit',
      `update activity set limits = limits || '{"perUserPerDay": 1}' where limits is not null`,
    ],
  ],
  I25: [
    ['a claim that was deleted after it was logged', `delete from claim where id = ${claimOf('ann')}`],
    [
      'a claim that was given to somebody else',
      `update claim set user_id = 'eve' where id = ${claimOf('ann')}`,
    ],
    [
      'a claim whose time was changed',
      `update claim set confirmed_at = confirmed_at - interval '1 microsecond' where id = ${claimOf('ann')}`,
    ],
    ['a claim that is not in the log', `delete from claim_leaf where leaf_index = 0`],
    ['a leaf of another packet', `update claim_leaf set packet_no = packet_no + 1000 where leaf_index = 0`],
    [
      'old claims that no checkpoint has followed',
      `delete from claim_leaf`,
      `update claim set confirmed_at = now() - interval '1 hour'`,
      `update claim_checkpoint set claims_to = 0, signed_at = now() - interval '1 hour'`,
    ],
  ],
  I27: [
    ['a day of a user that counts no payout', `update payout_day set amount_minor = 0 where user_id = 'uma'`],
    ['a day of a user that counts too few payouts', `update payout_day set payouts = payouts - 1`],
    ['a day of a user that is missing', `delete from payout_day where user_id = 'vic'`],
    ['a day of a user without a payout', `update payout_day set user_id = 'eve' where user_id = 'uma'`],
    ['a budget that has spent nothing', `update budget set spent_minor = 0`],
    ['a budget that counts for a day that is over', `update budget set day = day - 1`],
    ['a budget that has spent more than there was', `update budget set spent_minor = spent_minor + 1000000`],
    [
      'a channel that counts nothing on a day of payments',
      `insert into payout_pace (channel_id, day, day_minor) select id, '2026-01-02', 0 from payout_channel
       on conflict (channel_id) do update set day = '2026-01-02', day_minor = 0`,
      `update payout set first_sent_at = '2026-01-02 12:00Z' where ended_at is null`,
    ],
  ],
  I28: [
    [
      'a payment under another external id',
      `update payout set external_id = 'another' where id = ${payoutOf('paid')}`,
    ],
    [
      'a payment without its external id',
      `update payout set external_id = null where external_id is not null`,
    ],
    [
      'a payout in a state that no step explains',
      `update payout set state = 'unknown' where id = ${payoutOf('processing')}`,
    ],
  ],
  I33: [
    ['a code that is missing', `delete from code where no = 10`],
    ['a code for which no unit was deposited', `insert into code values (1, 11, 'x', 'x')`],
    ['codes that are counted but missing', `update code_pool set uploaded = uploaded + 1`],
    [
      'a unit without a code',
      transfer(`'deposit', 999, null, ${fundingOfCodes}, ${walletOf('vera')}, 1`),
      shift(fundingOfCodes, walletOf('vera'), '1'),
    ],
    ['a free code that is missing', `update code_free set count = count - 1`],
    ['units in a wallet other than the sponsor’s', `update code_pool set sponsor_id = 'eve'`],
    ['free codes that are others than were uploaded', `update code_free set first_no = first_no + 1`],
    ['a free code that was never uploaded', `insert into code_free values (1, 11, 1)`],
  ],
  I34: [
    [
      'an activity that has reserved no codes',
      `delete from code_reserved where activity_id = ${givingCodes}`,
    ],
    [
      'a packet without a code',
      `update code_reserved set count = count - 1 where activity_id = ${givingCodes} and first_packet_no = 3`,
    ],
    [
      'codes for packets that do not exist',
      `update code_reserved set first_packet_no = first_packet_no + 1 where activity_id = ${givingCodes} and first_packet_no = 3`,
    ],
    [
      'codes beyond those of the pool',
      `update code_reserved set first_no = 10 where activity_id = ${givingCodes} and first_packet_no = 3`,
    ],
    [
      'codes of a pool that does not exist',
      `update code_reserved set pool_id = 2 where activity_id = ${givingCodes}`,
    ],
    [
      'codes that were taken back before the end',
      `update code_reserved set returned_at = now() where activity_id = ${givingCodes}`,
    ],
    [
      'codes of an activity that gives money',
      `update code_reserved set activity_id = {open} where activity_id = ${givingCodes}`,
    ],
  ],
  I35: [
    ['a code that is free and reserved', `update code_free set first_no = first_no - 1`],
    [
      'a code that two activities have',
      `update code_reserved set first_no = 2 where activity_id = ${givingCodes} and first_packet_no = 1`,
    ],
    ['a code that differs from that of its packet', `update code_showing set no = 2`],
    [
      'a code that was shown for an activity that does not exist',
      `update code_showing set activity_id = 999999`,
    ],
    ['a code that somebody else has seen', `update code_showing set user_id = 'eve'`],
    ['a code of a packet that nobody won', `update code_showing set packet_no = packet_no + 1`],
    [
      'a code that was shown before it was credited',
      `delete from transfer where kind = 'credit' and credit_account_id = ${walletOf('cora')}`,
    ],
  ],
  I39: [
    [
      'a wallet of a pseudonym that no erasure has given',
      `update account set owner_id = 'erased-' || md5('') where id = ${walletOf('eve')}`,
    ],
    [
      'an erasure without an approval',
      `insert into erasure (user_id, requested_by) values ('eve', 'operator')`,
    ],
    [
      'an erasure that was done without an approval',
      `insert into erasure (requested_by, pseudonym, digest, digest_key, done_at)
       values ('operator', 'erased-' || md5(''), sha256(''), '', now())`,
    ],
    [
      'a revision of a seal by an erasure that does not exist',
      `insert into seal_revision (activity_id, no, cause, digest_before, digest_after)
       values ({closed}, 1, 'erasure:7', sha256(''), sha256('1'))`,
    ],
    [
      'a revision of a seal without a known cause',
      `insert into seal_revision (activity_id, no, cause, digest_before, digest_after)
       values ({closed}, 1, 'haste', sha256(''), sha256('1'))`,
    ],
  ],
  I41: [
    [
      'a line of a statement with another amount',
      `update wallet_statement_line set amount_minor = amount_minor + 1`,
    ],
    ['a movement that no statement has', `delete from wallet_statement_line`],
    [
      'a statement that begins and ends with more',
      `update wallet_statement set opening_minor = opening_minor + 1, closing_minor = closing_minor + 1`,
    ],
    [
      'a day that does not begin with the balance of the day before',
      `insert into wallet_statement (account_id, day, from_id, to_id, opening_minor, closing_minor, movements, credit_in,
                                     issued_at, texts_version, digest_json, digest_csv)
       select account_id, day + 1, to_id, to_id, closing_minor + 1, closing_minor + 1, 0, 0, now() + interval '1 month', 1, digest_json, digest_csv
         from wallet_statement`,
    ],
    [
      'a line that two statements have',
      `insert into wallet_statement (account_id, day, from_id, to_id, opening_minor, closing_minor, movements, credit_in,
                                     issued_at, texts_version, digest_json, digest_csv)
       select account_id, day + 9, from_id, to_id, opening_minor, closing_minor, movements, 0, now() + interval '1 month', 1, digest_json, digest_csv
         from wallet_statement`,
    ],
    [
      'a line without a statement',
      `insert into wallet_statement_line
       select account_id, transfer_id + 1, kind, amount_minor, activity_id, payout_id, at from wallet_statement_line`,
    ],
  ],
  I23: [
    [
      'packets that were exchanged',
      `update packet set amount_minor = amount_minor + case no when 1 then 1 else -1 end
        where activity_id = {untouched}
          and no in (1, (select no from packet where activity_id = {untouched} and no > 1
                          order by amount_minor desc limit 1))`,
    ],

    [
      'packets that were exchanged in a rain with a word of its sponsor',
      `update packet set amount_minor = amount_minor + case no when 1 then 1 else -1 end
        where activity_id = {toppedUp} and no <= 2`,
    ],
    ['another root', `update packet_batch set root = sha256('') where activity_id = {untouched}`],
    [
      'rows that are not of its tree',
      `update packet_batch set upper_rows = root where activity_id = {untouched}`,
    ],
    [
      'another first packet',
      `update packet_batch set first_no = first_no + 1 where activity_id = {untouched}`,
    ],
  ],
  I26: [
    ['the leaf of another user', `update claim_leaf set user_hash = sha256('') where leaf_index = 3`],
    ['a missing leaf', `delete from claim_leaf where leaf_index = 3`],
    ['another root', `update claim_checkpoint set root = sha256('')`],
    [
      'a log without its last checkpoint',
      deleteCheckpoints('tree_size = (select max(tree_size) from claim_checkpoint)'),
    ],
    ['a log without any checkpoint', deleteCheckpoints('true')],
    ['a checkpoint that nobody has signed', `update claim_checkpoint set note = replace(note, '/', '/x')`],
  ],
  I30: [
    [
      'money out of nowhere',
      `update account set balance_minor = balance_minor + 1 where id = ${walletOf('ann')}`,
    ],
    [
      'an account of another currency than its id has',
      withoutRule('account', 'account_id_has_currency'),
      `insert into currency (number, code, kind, decimals, name) values (99, 'EUR', 'money', 2, 'Euro')`,
      `update account set currency = 'EUR', currency_number = 99 where id = ${walletOf('bob')}`,
    ],
    [
      'money that is called points',
      withoutRule('currency', 'currency_code_of_kind'),
      'alter table currency disable trigger append_only',
      `update currency set kind = 'points' where number = 0`,
    ],
  ],
  I42: [
    ['a statement that was issued with other bytes', `update wallet_statement set digest_csv = sha256('')`],
    ['a statement without the text for banks', `update wallet_statement set digest_camt = null`],
    ['a statement of an unknown version of texts', `update wallet_statement set texts_version = 999`],
    ['a statement whose time of issue was changed', `update wallet_statement set issued_at = now()`],
  ],
};

/** Damage that is seen only if a whole wallet is read. */
export const BROKEN_CHAINS = {
  'a wallet that names no credit': `update account set last_credit_in = null where id = ${walletOf('ann')}`,
  'a wallet that names another credit than the last': `update account set last_credit_in = {open} where id = ${walletOf('ann')}`,
  'a wallet that names a credit and has none': `update account set last_credit_in = {open} where id = ${walletOf('sponsor')}`,
  'a credit that refers to none before it': `update transfer set previous_credit_in = null where kind = 'credit' and activity_id = {toppedUp}`,
  'two credits that refer to one': `update transfer set previous_credit_in = {open} where kind = 'credit' and activity_id = {toppedUp}`,
};

/** The same damage as rows. */
export const BREACH_TABLE = Object.entries(BREACHES).flatMap(([id, breaches]) =>
  breaches.map(([what, ...sql]) => ({ id, what, sql })),
);

/** Puts the ids of a history into a statement. */
export const withIds = (history: History, statement: string): string =>
  statement.replaceAll(/\{(\w+)\}/g, (_, name: keyof History) => history[name]);
