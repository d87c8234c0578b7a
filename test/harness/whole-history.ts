import { Readable } from 'node:stream';
import { redPacketId } from '../../libs/red-packet-id';
import { ClaimLogLeader } from '../../src/extensions/claim-log/claim-log-leader';
import { CodePoolService } from '../../src/extensions/code-pool/code-pool.service';
import { CodeReturnSweep } from '../../src/extensions/code-pool/code-return-sweep';
import { CodeUploadService } from '../../src/extensions/code-pool/code-upload.service';
import { WonCodeService } from '../../src/extensions/code-pool/won-code.service';
import { StatementService } from '../../src/extensions/statement/statement.service';
import { BudgetRepository } from '../../src/core/wallet/budget.repository';
import { requestOf } from './books';
import { type History, writeHistory } from './history';
import type { WholeRain } from './whole-rain';

/** A history with approvals, payouts, codes, a statement, limits, a budget, and a log of claims with two checkpoints. */
export async function writeWholeHistory(rain: WholeRain): Promise<History> {
  const { books } = rain;
  const appendToLog = () => books.serviceOf(ClaimLogLeader).appendAll(new AbortController().signal);
  const history = await writeHistory(rain);
  await appendToLog();
  await writeApprovals(rain);
  await writePayouts(rain);
  await writeCodes(rain);
  await writeStatement(rain);
  await appendToLog();
  await books.dataSource.transaction(async (tx) => {
    const wallet = await books.ledger.walletOf(tx, 'sponsor', books.currency);
    await books.serviceOf(BudgetRepository).set(tx, wallet, 1_000_000_000n);
  });
  return history;
}

/** Writes a deposit that is dated yesterday, and the statement of that day. */
async function writeStatement({ books }: WholeRain): Promise<void> {
  await books.deposit('stan', 5n);
  await books.dataSource.transaction(async (tx) => {
    await tx.query(`set local session_replication_role = replica`);
    await tx.query(
      `with aged as (
         update account set created_at = created_at - interval '1 day' where owner_id = 'stan' returning id
       )
       update transfer_other set created_at = created_at - interval '1 day' from aged where credit_account_id = aged.id`,
    );
  });
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  await books.serviceOf(StatementService).statementOf('stan', books.currency, yesterday);
}

/** Writes deposits with every decision, a reversal, and approvals of the void claim, an activity and a top-up. */
async function writeApprovals({ books }: WholeRain): Promise<void> {
  for (const decision of ['approve', 'reject', undefined] as const)
    await books.askForDeposit('sponsor', 1n, decision);
  await books.reverse(await books.deposit('rex', 5n));
  await books.dataSource.query(
    `insert into approval (action, subject_id, source_id, amount_minor, terms, asked_by, expires_at, status,
                           decided_by, decided_at)
     select 'dead-letter.void', id, claim_id, amount_minor, '{}', 'asker', now() + interval '1 hour', 'approved', 'decider', now()
       from dead_letter where status = 'void'`,
  );
  await books.dataSource.query(
    `insert into approval (action, subject_id, source_id, amount_minor, terms, asked_by, expires_at, status,
                           decided_by, decided_at, result_id)
     select distinct on (transfer.kind) case transfer.kind when 'fund' then 'activity.create' else 'activity.top-up' end,
            case transfer.kind when 'fund' then owner_id else activity_id::text end,
            0, amount_minor, '{}'::jsonb, 'asker', now() + interval '1 hour', 'approved', 'decider', now(), source_id
       from transfer join account on account.id = debit_account_id
      where transfer.kind in ('fund', 'top-up') order by transfer.kind, transfer.id`,
  );
}

/**
 * Writes a pool of ten codes. A rain of three packets has ended: cora won one of its codes, and has seen it;
 * the other two were returned. A rain of four continues, of which cleo has won one. Five codes are free, two of them again.
 */
async function writeCodes(rain: WholeRain): Promise<void> {
  const { books } = rain;
  const sponsorId = 'vera';
  const { id, currency } = await books
    .serviceOf(CodePoolService)
    .create(requestOf('operator', 'operator'), { name: 'Vouchers', sponsorId });
  const codes = Array.from({ length: 10 }, (_, i) => `voucher-${i}`).join('\n');
  const file = Readable.from([Buffer.from(codes)]);
  await books.serviceOf(CodeUploadService).upload(requestOf('operator', 'operator'), id, 'csv', file);
  const begin = async (packets: number, winner: string) => {
    const split = { kind: 'equal' } as const;
    const totalMinor = BigInt(packets);
    const activityId = await books.activity({ packets, totalMinor, sponsorId, currency, split });
    await rain.loader.load(activityId);
    const [verdict] = await rain.grab(activityId, winner);
    if (verdict?.kind !== 'confirmed') throw new Error(`${winner} has won nothing`);
    await books.settlement.settle([verdict.claimId!]);
    return { activityId, packetId: redPacketId(activityId, verdict.packet.no) };
  };
  const ended = await begin(3, 'cora');
  await books.serviceOf(WonCodeService).show('cora', ended.packetId);
  await rain.end(ended.activityId);
  await rain.worker.get(CodeReturnSweep).sweep(new AbortController().signal);
  await begin(4, 'cleo');
}

/** Writes payouts of uma: one with each outcome, one in flight, and one that two people have resolved. */
async function writePayouts(rain: WholeRain): Promise<void> {
  const { books } = rain;
  const channelId = await books.createChannel();
  await books.deposit('uma', 100n);
  const ask = async () => (await books.askForPayout('uma', channelId, '0.01')).id;
  await books.report(channelId, { id: await ask(), outcome: 'paid', externalId: 'T-1' });
  for (const outcomes of [['paid'], ['refused', 'paid'], ['paid', 'returned'], ['processing']] as const) {
    const id = await ask();
    for (const outcome of outcomes) await books.report(channelId, { id, outcome });
  }
  const resolution = { outcome: 'paid', evidence: 'a statement' } as const;
  const { id } = await books.resolutions.askToResolve(requestOf('asker'), await ask(), resolution);
  await books.approvals.approve(requestOf('decider'), id);
  const { items } = await books.findings.list({ state: 'open', limit: 10 });
  for (const finding of items) await books.findings.end(requestOf('asker'), finding.id, 'paid back');
  await win(rain, channelId);
  await books.sweepUnsent();
  await win(rain, channelId);
}

/** Lets vic win in a rain with a channel, and credits the win. */
async function win(rain: WholeRain, channelId: string): Promise<void> {
  const { books } = rain;
  const activityId = await books.activity({
    packets: 1,
    payout: { channelId },
    limits: { perUser: 2, perUserPerDay: 2 },
  });
  await rain.loader.load(activityId);
  await books.settleConfirmed(await rain.grab(activityId, 'vic'));
}
