import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { signToken } from '../../src/platform/http/auth/sign-token';
import { JWT_SECRET } from '../harness/installation';
import { rain, shareInstallation } from '../harness/shared-installation';

const run = promisify(execFile);

const README = readFileSync(resolve('libs', 'client', 'README.md'), 'utf8');
const [OVER_HTTP, OVER_GATEWAY] = Array.from(
  README.matchAll(/^```js\n([\s\S]*?)^```$/gm),
  ([, code]) => code!,
);

const COMMON_JS = `
  const { ApiClient, ApiProblem } = require('@hongbao/client');
  const { HONGBAO_URL, HONGBAO_TOKEN, ACTIVITY } = process.env;
  const api = new ApiClient(HONGBAO_URL, HONGBAO_TOKEN);
  import('@hongbao/client').then(async (imported) => {
    const { code } = await api.post('/v1/activities/{id}/grabs', { path: { id: ACTIVITY } });
    console.log(code, imported.ApiProblem === ApiProblem);
  });`;

const TYPED = `
  import { type Answer, ApiClient, Gateway, type Schema } from '@hongbao/client';
  export const walletOf = (api: ApiClient): Promise<Answer<'get', '/v1/me/wallet'>> => api.get('/v1/me/wallet');
  export const grabOf = (gateway: Gateway): Promise<Schema<'GrabDto'>> => gateway.grab('1');
  // @ts-expect-error no such path
  export const none = (api: ApiClient) => api.get('/v1/none');`;

/** Node 20 has a WebSocket behind this switch. */
const NODE = ['--experimental-websocket'];

describe('@hongbao/client, packed and installed in an empty directory without a network', () => {
  shareInstallation();

  let directory: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'hongbao-client-'));
    await run(process.execPath, [resolve('deploy', 'pack-client.mjs'), '--into', directory]);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const install = ['install', '--offline', '--no-audit', '--no-fund', '--cache', join(directory, 'cache')];
    writeFileSync(join(directory, 'package.json'), '{}');
    await run('npm', [...install, `hongbao-client-${version}.tgz`], { cwd: directory });
  });

  afterAll(() => rmSync(directory, { recursive: true }));

  async function told(file: string, program: string, user: string, activity: string): Promise<string> {
    writeFileSync(join(directory, file), program);
    const HONGBAO_TOKEN = signToken({ secret: JWT_SECRET }, { sub: user, role: 'user' });
    const env = { PATH: process.env.PATH, HONGBAO_URL: rain.url, HONGBAO_TOKEN, ACTIVITY: activity };
    const { stdout } = await run(process.execPath, [...NODE, file], { cwd: directory, env });
    return stdout;
  }

  it('grabs by HTTP and by the gateway, as its page says, and receives the news of the payment', async () => {
    const id = await rain.createActivity({ sponsorId: 'packer', packetCount: 3 });
    expect(await told('http.mjs', OVER_HTTP!, 'ann', id)).toMatch(/code: '0', redPacketId: '\d+', amount: '/);
    expect(await told('http.mjs', OVER_HTTP!, 'ann', '999999')).toBe('activity.not_found\n');
    const news = await told('gateway.mjs', OVER_GATEWAY!, 'bob', id);
    expect(news).toMatch(/code: '0', redPacketId: '\d+', amount: '/);
    expect(news).toMatch(/^wallet\.credited \{/m);
    expect(await told('common.cjs', COMMON_JS, 'cleo', id)).toBe('0 true\n');
  });

  it('has types for ES modules, CommonJS and bundlers', async () => {
    mkdirSync(join(directory, 'types'));
    const files = ['types/a.mts', 'types/a.cts'];
    for (const file of files) writeFileSync(join(directory, file), TYPED);
    const tsc = [resolve('node_modules', 'typescript', 'bin', 'tsc'), '--noEmit', '--strict'];
    const options = ['--lib', 'es2023,dom', '--target', 'es2023', '--ignoreConfig'];
    for (const module of [
      ['--module', 'node20'],
      ['--module', 'esnext', '--moduleResolution', 'bundler'],
    ])
      await run(process.execPath, [...tsc, ...options, ...module, ...files], { cwd: directory }).catch(
        ({ stdout }: { stdout: string }) => Promise.reject(new Error(stdout)),
      );
  });

  it('has the command line of operators', async () => {
    const program = join(directory, 'node_modules', '.bin', 'hongbao-admin');
    const help = await run(program, ['--help']);
    expect(help.stdout).toContain('Usage: hongbao-admin [options] [command]');
    const token = signToken({ secret: JWT_SECRET }, { sub: 'op', role: 'operator' });
    const env = { PATH: process.env.PATH, HONGBAO_URL: rain.url, HONGBAO_TOKEN: token };
    const { stdout } = await run(program, ['webhooks', 'list', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ items: [] });
  });
});
