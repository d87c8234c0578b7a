import { readFileSync } from 'node:fs';
import type { Bench } from './bench';
import { Fault } from './receiver-client';
import { rowsOf, type StatementRow } from './statement';

const DAY_MS = 86_400_000;

/** Compares the books of the receiver with what this run has sent. */
export async function checkStatement(bench: Bench): Promise<void> {
  const counts = new Map<string, number>();
  let sumMinor = 0n;
  for (const row of await rowsSince(bench)) {
    if (row.state !== 'paid') continue;
    if (bench.neverPaid.has(row.payoutId)) throw new Fault('it has a payout that was never to be paid');
    const order = bench.paid.get(row.payoutId);
    if (!order) continue;
    if (row.userId !== order.userId || row.amount !== order.amount)
      throw new Fault('it has a payout with another user or amount than was sent');
    if (Number.isNaN(Date.parse(row.at))) throw new Fault('it has a moment that is none');
    counts.set(row.payoutId, (counts.get(row.payoutId) ?? 0) + 1);
    sumMinor += minorOf(bench, row.amount);
  }
  const several = [...counts.values()].filter((count) => count > 1).length;
  if (several > 0) throw new Fault(`it has ${several} payouts more than once`);
  const missing = [...bench.paid.keys()].filter((id) => !counts.has(id)).length;
  if (missing > 0) throw new Fault(`it lacks ${missing} of ${bench.paid.size} payouts`);
  const sentMinor = [...bench.paid.values()].reduce((sum, { amount }) => sum + minorOf(bench, amount), 0n);
  if (sumMinor !== sentMinor) throw new Fault('its sum differs from the sum sent');
}

/** A run may pass midnight. */
async function rowsSince(bench: Bench): Promise<StatementRow[]> {
  const { statementFile } = bench.settings;
  if (statementFile !== undefined) return rowsOf(readFileSync(statementFile, 'utf8'));
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const first = Math.floor(Date.parse(bench.createdAt) / DAY_MS) * DAY_MS;
  const rows: StatementRow[] = [];
  for (let day = first; day <= today; day += DAY_MS) {
    const { status, text } = await bench.client.statement(new Date(day).toISOString().slice(0, 10));
    if (status !== 200)
      throw new Fault(`GET /statements/DAY is answered ${status}; a file can be given by --statement`);
    rows.push(...rowsOf(text));
  }
  return rows;
}

function minorOf(bench: Bench, amount: string): bigint {
  return bench.settings.currency.parse(amount);
}
