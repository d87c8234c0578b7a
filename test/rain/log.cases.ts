import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Caller } from '../harness/client';
import { onServer, redisAppUrl, waitFor } from '../harness/engines';
import { JWT_SECRET } from '../harness/installation';
import { rain } from '../harness/shared-installation';

describe('what the programs print', () => {
  it('contains no token, secret or parameter, whatever fails', async () => {
    const [api, worker] = await Promise.all([
      rain.startAnother('main.js', { LOG_LEVEL: 'debug' }),
      rain.startAnother('worker.js', { LOG_LEVEL: 'debug' }),
    ]);
    rain.mayAnswer500(api.program);
    const token = rain.tokenOf('u1');
    const [user, operator] = [new Caller(api.url, token), rain.operator('boss', api.url)];
    const activityId = await rain.createActivity();
    const deposit = (amount: string) => operator.post('/v1/wallets/shy-one/deposits', { amount });

    for (const path of [`/v1/me/wallet?access_token=${token}`, `/v1/${token}`, `/v1/activities/${token}`])
      expect([400, 404]).toContain((await user.get(path)).status);
    expect((await deposit(rain.tokenOf('boss', 'operator'))).status).toBe(400);
    const headers = { authorization: `Bearer ${token}`, 'x-request-id': token, 'idempotency-key': token };
    expect((await fetch(`${api.url}/v1/me/wallet`, { headers })).status).toBe(200);

    await rain.sql(
      `create function boom() returns trigger language plpgsql as $$ begin raise 'boom'; end $$`,
    );
    await rain.sql(`create trigger boom before insert on transfer execute function boom()`);
    expect(await deposit('4321.09')).toMatchObject({ status: 500, body: { code: 'internal' } });
    expect((await user.post(`/v1/activities/${activityId}/grabs`)).body.code).toBe('0');
    await waitFor(() => worker.program.output.includes('boom'), { what: 'the fault at the worker' });
    expect(api.program.output).toContain('boom');

    const database = new URL(rain.database.url).pathname.slice(1);
    await onServer(`alter database ${database} allow_connections false`);
    await onServer(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}' and application_name = 'hongbao'`,
    );
    const away = [deposit('4321.09'), user.get('/v1/me/wallet')];
    expect((await Promise.all(away)).map(({ status }) => status)).toEqual([503, 503]);
    const refused = `database "${database}" is not currently accepting connections`;
    await waitFor(() => worker.program.output.includes(refused), { what: 'the outage at the worker' });
    await onServer(`alter database ${database} allow_connections true`);
    await rain.sql('drop trigger boom on transfer');

    const { password } = new URL(redisAppUrl(rain.redisEngine.url));
    await Promise.all([api.program.stop(), worker.program.stop()]);
    const secrets = [JWT_SECRET, password, rain.database.appUrl, 'eyJ', 'shy-one', '4321.09', '432109'];
    for (const { output } of [api.program, worker.program])
      expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
  });
});

describe('a worker whose log has lost its reader', () => {
  it('pays, and exits with 0', async () => {
    const pipe = join(rain.logDir, 'pipe');
    execFileSync('mkfifo', [pipe]);
    // Opened for reading and writing, a pipe lets the next process open it without waiting.
    const reader = openSync(pipe, 'r+');
    const { program } = await rain.startAnother('worker.js', { LOG_LEVEL: 'debug' }, undefined, pipe);
    closeSync(reader);
    const activityId = await rain.createActivity({ packetCount: 1 });
    await rain.win(activityId, 'ann');
    await rain.settled(activityId, 30_000);
    await program.stop();
    expect(program.exitCode).toBe(0);
  });
});
