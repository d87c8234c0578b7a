import { waitFor } from '../harness/engines';
import { rain } from '../harness/shared-installation';

const HOUR_SECONDS = 3_600;

describe('an Idempotency-Key', () => {
  const deposit = (key: string) =>
    rain.operator().post('/v1/wallets/keeper/deposits', { amount: '1.00' }, { key });
  const isReplay = async (key: string) => (await deposit(key)).headers.has('idempotency-replayed');
  const keysLeft = async () =>
    (await rain.sql(`select from idempotency_key where key ~ '^(too-old|not-yet-old|brand-new|bulk-)'`))
      .length;

  /** Makes a key older, without the guard that keeps the ledger unchanged. */
  async function age(key: string, seconds: number): Promise<void> {
    const back = `created_at - make_interval(secs => ${seconds})`;
    await rain.sql(`update idempotency_key set created_at = ${back} where key = $1`, [key]);
    await rain.sql(`alter table transfer disable trigger append_only`);
    await rain.sql(
      `update transfer set created_at = ${back} where kind = 'deposit'
          and source_id = (select id from idempotency_key where key = $1)`,
      [key],
    );
    await rain.sql(`alter table transfer enable trigger append_only`);
  }

  it('is remembered for the configured time and then deleted, in small steps, by any worker', async () => {
    for (const key of ['too-old-1', 'not-yet-old', 'brand-new']) await deposit(key);
    await age('too-old-1', 2 * HOUR_SECONDS + 1);
    await age('not-yet-old', 2 * HOUR_SECONDS - 600);
    await rain.sql(
      `insert into idempotency_key (principal, key, fingerprint, status, response, created_at)
       select 'somebody', 'bulk-' || n, sha256(''), 200, '{}', now() - interval '1 day'
         from generate_series(1, 2500) as n`,
    );
    const settings = { IDEMPOTENCY_KEPT_SECONDS: String(2 * HOUR_SECONDS) };
    const workers = [rain.startAnother('worker.js', settings), rain.startAnother('worker.js', settings)];
    await waitFor(async () => (await keysLeft()) === 2, { what: 'old keys to be forgotten' });
    for (const { program } of await Promise.all(workers)) await program.stop();
    expect(await isReplay('not-yet-old')).toBe(true);
    expect(await isReplay('brand-new')).toBe(true);
    expect(await isReplay('too-old-1')).toBe(false);
    expect((await rain.user('keeper').get('/v1/me/wallet')).body.balance).toBe('4.00');
  });
});
