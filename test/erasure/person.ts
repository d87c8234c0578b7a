import { randomUUID } from 'node:crypto';
import { redPacketId } from '../../libs/red-packet-id';
import { Readable } from 'node:stream';
import { ClaimLogLeader } from '../../src/extensions/claim-log/claim-log-leader';
import { CodePoolService } from '../../src/extensions/code-pool/code-pool.service';
import { CodeUploadService } from '../../src/extensions/code-pool/code-upload.service';
import { WonCodeService } from '../../src/extensions/code-pool/won-code.service';
import { TicketKeyService } from '../../src/extensions/ticket/ticket-key.service';
import { type ActivityWish, requestOf } from '../harness/books';
import type { WholeRain } from '../harness/whole-rain';
import { insertErasure } from './insert-erasure';

/** The rains of a person with nothing in progress. */
export interface Life {
  readonly sponsored: string;
  readonly won: string;
  readonly voided: string;
  readonly codes: string;
  readonly channelId: string;
  /** Someone else who has won in the same rain. */
  readonly friend: string;
}

/** The id of a new person. */
export const newId = () => `zoe-${randomUUID()}`;

/** Leaves every trace that a person can leave, and nothing in progress. */
export async function live(rain: WholeRain, id: string): Promise<Life> {
  const { books } = rain;
  const channelId = await newChannel(rain);
  const friend = `friend-${randomUUID()}`;
  const limits = { perUser: 9 };
  const sponsored = await playedRain(rain, { sponsorId: id, limits }, [friend]);
  const won = await playedRain(rain, { limits, audience: { kind: 'people', userIds: [id, friend] } }, [
    friend,
    id,
  ]);
  const voided = await voidedRain(rain, id);
  const codes = await rainOfCodes(rain, id);
  await ownAndStaffDeeds(rain, id);
  await books.dataSource.query(
    `insert into undelivered_message (webhook_id, message_id, event, body, status) values (1, $1, 'wallet.credited', $2, 'dead')`,
    [`of ${won}`, JSON.stringify({ data: { userId: id, activityId: won } })],
  );
  await payOut(rain, id, channelId);
  await sendAndThank(rain, id, won);
  await books.serviceOf(ClaimLogLeader).appendAll(new AbortController().signal);
  await forgetInRedis(rain);
  return { sponsored, won, voided, codes, channelId, friend };
}

type Wish = Omit<ActivityWish, 'packets'>;

/** Plays a rain of three packets to its end. */
export async function playedRain(rain: WholeRain, wish: Wish, users: readonly string[]): Promise<string> {
  const id = await rain.openRain({ packets: 3, ...wish });
  await rain.books.settleConfirmed(await rain.grab(id, ...users));
  await rain.end(id);
  return id;
}

async function voidedRain(rain: WholeRain, id: string): Promise<string> {
  const { books } = rain;
  await books.deposit(id, 1n);
  await books.setStatus(id, 'frozen');
  const voided = await playedRain(rain, {}, [id]);
  for (const letter of await books.letters.list('open', undefined, 10)) await books.declareVoid(letter.id);
  await books.setStatus(id, 'active');
  return voided;
}

async function rainOfCodes(rain: WholeRain, sponsorId: string): Promise<string> {
  const { activityId, redPacketId } = await winCode(rain, sponsorId);
  await rain.books.serviceOf(WonCodeService).show(sponsorId, redPacketId);
  return activityId;
}

/** Gives a rain of codes, and wins one that is not shown yet. */
export async function winCode(
  rain: WholeRain,
  sponsorId: string,
): Promise<{ activityId: string; redPacketId: string }> {
  const { books } = rain;
  const operator = () => requestOf('operator', 'operator');
  const pool = await books.serviceOf(CodePoolService).create(operator(), { name: 'Vouchers', sponsorId });
  const file = Readable.from([Buffer.from('voucher-a\nvoucher-b\nvoucher-c')]);
  await books.serviceOf(CodeUploadService).upload(operator(), pool.id, 'csv', file);
  const wish = { sponsorId, totalMinor: 3n, currency: pool.currency, split: { kind: 'equal' } as const };
  const activityId = await playedRain(rain, wish, [sponsorId]);
  const [{ no }] = await books.dataSource.query<[{ no: number }]>(
    `select packet_no as no from claim where activity_id = $1`,
    [activityId],
  );
  return { activityId, redPacketId: redPacketId(activityId, no) };
}

/** Leaves the traces of a user who is also staff. */
async function ownAndStaffDeeds({ books }: WholeRain, id: string): Promise<void> {
  const keys = books.serviceOf(TicketKeyService);
  await keys.create(requestOf(id, 'user'), {});
  await keys.delete(requestOf(id, 'user').caller, (await keys.create(requestOf(id, 'user'), {})).id);
  await insertErasure(books.dataSource, { by: id, pseudonym: `erased-${randomUUID().replaceAll('-', '')}` });
  await books.dataSource.query(
    `insert into erasure (requested_by, withdrawn_by, withdrawn_at) values ('asker', $1, now())`,
    [id],
  );
  await books.approvals.approve(requestOf(id), await books.askForDeposit('ann', 1n));
  await books.askForDeposit(id, 1n, 'reject');
  const asked = await books.reversals.askToReverse(requestOf(id), await books.deposit('rex', 5n), {
    reason: 'Twice.',
  });
  await books.approvals.approve(requestOf('decider'), (asked as { id: string }).id);
  await books.dataSource.query(`insert into solo_deed (done_by, amount_minor) values ($1, 1)`, [id]);
  await books.dataSource.query(
    `insert into payout_statement (channel_id, day, handed_in_by) values (1, current_date, $1)`,
    [id],
  );
  await books.dataSource.query(
    `insert into payout_finding (channel_id, kind, detail, line, owner, ended_by, ended_at, resolution)
     values (1, 'never-sent', jsonb_build_object('userId', $1::text), $2, $1, $1, now(), 'done')`,
    [id, JSON.stringify({ payoutId: '7', userId: id })],
  );
  await books.dataSource.query(
    `insert into rehearsal_report (activity_id, terms_hash, reported_by, taps, seconds, taps_per_second, answers, p50_ms, p99_ms)
     values (1, '', $1, 1, 1, 1, '{}', 1, 1)`,
    [id],
  );
  await books.dataSource.query(
    `insert into seed_commitment (commitment, user_id, seed, expires_at)
     select sha256('hongbao.seed.v1\\000'::bytea || decode(seed, 'hex')), $1, seed, now()
       from (select encode(sha256(convert_to($1, 'UTF8')), 'hex') as seed) as drawn`,
    [id],
  );
  await books.dataSource.query(
    `insert into series (sponsor_id, terms, rrule, time_zone, start, duration_seconds, create_ahead_hours, count, status,
                         actor_id, actor_role)
     values ($1, jsonb_build_object('audience', jsonb_build_object('kind', 'people', 'userIds', jsonb_build_array($1::text))),
             'FREQ=DAILY', 'UTC', '2031-02-01T20:00:00', 60, 0, 1, 'ended', $1, 'operator')`,
    [id],
  );
  const terms = { audience: JSON.stringify({ kind: 'people', userIds: [id] }) };
  await books.dataSource.query(
    `insert into idempotency_key (principal, key, fingerprint, status, response)
     values ('ann', 'answer-' || $1, sha256(''), 202, $2), ('bob', 'answer-' || $1, sha256(''), 200, $3)`,
    [randomUUID(), JSON.stringify({ terms }), JSON.stringify({ writtenBy: id })],
  );
  await books.dataSource.query(
    `insert into audit_log (actor_id, action, subject, via) values ('ann', 'wallet.freeze', 'wallet:bob', $1)`,
    [id],
  );
}

/** Leaves the traces of sending, of a list of winnings, and of thanks. */
async function sendAndThank({ books }: WholeRain, id: string, won: string): Promise<void> {
  await books.dataSource.query(
    `insert into received_total (user_id, currency, newest, next, packets, amount_minor) values ($1, 'CNY', 1, 0, 1, 1)`,
    [id],
  );
  await books.dataSource.query(
    `insert into sender_day_count (user_id, unit, day, sum) values ($1, 'activities', current_date, 1)`,
    [id],
  );
  await books.dataSource.query(
    `insert into thanks (activity_id, packet_no, text, thanked_at)
     select activity_id, packet_no, 'Thanks, yours ' || user_id, now() - interval '2 days' from claim where activity_id = $1 and user_id = $2`,
    [won, id],
  );
}

/** Creates a channel in place of earlier ones, since there may be only twenty. Returns its id. */
export async function newChannel({ books }: WholeRain): Promise<string> {
  await books.retireChannels();
  return books.createChannel();
}

/** Takes all money out of a wallet. */
export async function payAll(rain: WholeRain, id: string): Promise<void> {
  const channelId = await newChannel(rain);
  const payout = await rain.books.askForPayout(id, channelId, await moneyOf(rain, id));
  await rain.books.report(channelId, { id: payout.id, outcome: 'paid' });
}

async function moneyOf({ books }: WholeRain, id: string): Promise<string> {
  const [{ balance }] = await books.dataSource.query<[{ balance: string }]>(
    `select balance_minor as balance from account where owner_id = $1 and currency = $2 and kind = 'wallet'`,
    [id, books.currency.code],
  );
  return books.currency.format(BigInt(balance));
}

/** Pays out the whole wallet, as two people confirm; lets this person also confirm a payout of someone else. */
async function payOut(rain: WholeRain, id: string, channelId: string): Promise<void> {
  const { books } = rain;
  await books.deposit('uma', 1n);
  for (const [owner, approver] of [
    [id, 'decider'],
    ['uma', id],
  ] as const) {
    const payout = await books.askForPayout(owner, channelId, await moneyOf(rain, owner));
    await books.dataSource.query('update payout set calls = 1, currency_calls = 1 where id = $1', [
      payout.id,
    ]);
    const resolution = { outcome: 'paid', evidence: 'a statement' } as const;
    const asked = await books.resolutions.askToResolve(requestOf('asker'), payout.id, resolution);
    await books.approvals.approve(requestOf(approver), asked.id);
  }
}

/** Marks ended rains as forgotten by Redis, as happens a while after their end. */
export const forgetInRedis = ({ books }: WholeRain): Promise<unknown> =>
  books.dataSource.query(
    `update activity set tidied_at = now(), forgotten_at = now() where status <> 'active' and forgotten_at is null`,
  );
