import { randomBytes } from 'node:crypto';
import { rain, shareInstallation } from '../harness/shared-installation';
import { begun, codeOf, newPool, planOfCodes, upload, won } from './codes';

const KEY = randomBytes(32).toString('base64');
const OTHER_KEY = randomBytes(32).toString('base64');

shareInstallation({ CODE_SEAL_KEY: KEY });

describe('the key that seals codes', () => {
  it('keeps the API from starting if it is wrong, and the former key may be set in addition to a new one', async () => {
    const pool = await newPool('locked', ['behind-the-key']);
    const id = await begun('locked', pool.currency, 1);
    const packetId = await won(id, 'ann');
    await rain.settled(id);
    const first = await rain.row<{ id: number }>('select min(id) as id from code_pool');
    const wrong = { CODE_SEAL_KEY: OTHER_KEY };
    await expect(rain.startAnother('main.js', wrong)).rejects.toThrow(
      `CODE_SEAL_KEY is not the one that sealed pool ${first.id}.`,
    );

    const both = { CODE_SEAL_KEY: OTHER_KEY, CODE_SEAL_KEY_PREVIOUS: KEY };
    const rotated = await rain.startAnother('main.js', both);
    const shown = await codeOf('ann', packetId, rotated.url);
    expect(shown.body.code).toBe('behind-the-key');
    const alone = await rain.startAnother('main.js', wrong);
    expect((await codeOf('ann', packetId, alone.url)).body).toEqual(shown.body);
    const back = await rain.startAnother('main.js', {
      CODE_SEAL_KEY: KEY,
      CODE_SEAL_KEY_PREVIOUS: OTHER_KEY,
    });
    expect((await codeOf('ann', packetId, back.url)).body).toEqual(shown.body);
    await Promise.all([rotated, alone, back].map(({ program }) => program.stop()));
  });

  it('can be lost without an effect on anything but codes', async () => {
    const pool = await newPool('loser', ['lost-for-good', 'lost-as-well']);
    const id = await begun('loser', pool.currency, 1);
    const packetId = await won(id, 'ann');
    await rain.settled(id);
    const { program, url } = await rain.startAnother('main.js', { CODE_SEAL_KEY: '' });
    expect(program.output).toContain('CODE_SEAL_KEY is not set');
    const missing = { status: 503, body: { code: 'code_pool.seal_key_missing' } };
    const operator = rain.operator('operator', url);
    expect(await codeOf('ann', packetId, url)).toMatchObject(missing);
    expect(await operator.post('/v1/code-pools', { name: 'New', sponsorId: 'loser' })).toMatchObject(missing);
    expect(await upload(pool.id, 'a', { by: operator })).toMatchObject(missing);
    expect(await operator.post('/v1/activities', planOfCodes('loser', pool.currency, 1))).toMatchObject(
      missing,
    );
    expect((await operator.get(`/v1/code-pools/${pool.id}`)).body).toMatchObject({ free: 1, reserved: 1 });
    expect((await operator.post(`/v1/activities/${id}/close`)).status).toBe(200);
    expect((await operator.get('/v1/wallets/loser')).status).toBe(200);
    await program.stop();

    await rain.sql(`update code_pool set wrapped_key = '' where id = $1`, [pool.id]);
    const lost = await rain.startAnother('main.js');
    expect(await codeOf('ann', packetId, lost.url)).toMatchObject(missing);
    const again = planOfCodes('loser', pool.currency, 1);
    expect(await rain.operator('operator', lost.url).post('/v1/activities', again)).toMatchObject(missing);
    await lost.program.stop();
  });
});
