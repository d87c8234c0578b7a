import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { newSecret, signatureHeaders } from '../../libs/standard-webhooks';
import { freePort } from '../../src/dev/engines';
import { signToken } from '../../src/platform/http/auth/sign-token';
import { faultOfOld, nodeOf, TOO_OLD } from '../deploy/nodes';
import { JWT_SECRET } from '../harness/installation';
import { ownDirectory } from '../harness/own-directory';
import { rain, shareInstallation } from '../harness/shared-installation';
import { NODE } from '../receivers/languages';
import { ReceiverProgram } from '../receivers/receiver-program';

const run = promisify(execFile);

const codeIn = (file: string, language: string): string[] =>
  Array.from(
    readFileSync(resolve(file), 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm')),
    ([, code]) => code!,
  );

const [GRAB, DEPOSIT, ACT_FOR, WITH_WORD, RECEIVE, OVER_GATEWAY] = codeIn('libs/client/README.md', 'js');

const COMMON_JS = `
  const { ApiClient, ApiProblem } = require('@hongbao/client');
  const { HONGBAO_URL, HONGBAO_TOKEN, ACTIVITY } = process.env;
  const client = new ApiClient(HONGBAO_URL, HONGBAO_TOKEN);
  import('@hongbao/client').then(async (imported) => {
    const { code } = await client.grabPacket(ACTIVITY);
    console.log(code, imported.ApiProblem === ApiProblem);
  });`;

const TYPED = `
  import { ApiClient, Gateway, type NewsFrame, type Schema, verifyWebhook } from '@hongbao/client';
  export const walletOf = (client: ApiClient): Promise<Schema<'MyWalletDto'>> => client.readMyWallet();
  export const grabOf = (gateway: Gateway): Promise<Schema<'GrabDto'>> => gateway.grab('1');
  export const amountIn = (news: NewsFrame) => (news.event === 'wallet.credited' ? news.data.amount : undefined);
  export async function paid(request: Request): Promise<string | undefined> {
    const message = await verifyWebhook(request.headers, await request.text(), 'whsec_');
    return message.type === 'payout.paid' ? message.data.payoutId : undefined;
  }
  export async function balanceOf(client: ApiClient): Promise<string> {
    const deposit = await client.depositMoney('shop', { amount: '1.00' });
    // @ts-expect-error it may wait for a second person
    deposit.body.balance;
    return deposit.status === 201 ? deposit.body.balance : deposit.body.id;
  }
  // @ts-expect-error no such operation
  export const none = (client: ApiClient) => client.readNone();`;

describe('the packages, packed and installed in an empty directory without a network', () => {
  shareInstallation();

  const directory = ownDirectory('client');

  beforeAll(async () => {
    await run(process.execPath, [resolve('deploy', 'pack.mjs'), '--into', directory]);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const install = ['install', '--offline', '--no-audit', '--no-fund', '--cache', join(directory, 'cache')];
    writeFileSync(join(directory, 'package.json'), '{}');
    const packages = ['hongbao-client', 'hongbao-conformance'].map((name) => `${name}-${version}.tgz`);
    await run('npm', [...install, ...packages], { cwd: directory });
  });

  const envOf = (user: string, role: 'user' | 'operator' | 'server', more: Record<string, string> = {}) => {
    const HONGBAO_TOKEN = signToken({ secret: JWT_SECRET }, { sub: user, role });
    return { PATH: process.env.PATH, HONGBAO_URL: rain.url, HONGBAO_TOKEN, ...more };
  };

  async function outputOf(file: string, program: string, env: NodeJS.ProcessEnv): Promise<string> {
    writeFileSync(join(directory, file), program);
    const { stdout } = await run(process.execPath, [file], { cwd: directory, env });
    return stdout;
  }

  it('grab by HTTP and by the gateway, as their page says, and receive the news of the payment', async () => {
    const ACTIVITY = await rain.createActivity({ sponsorId: 'packer', packetCount: 4 });
    const by = (user: string) => envOf(user, 'user', { ACTIVITY });
    expect(await outputOf('http.mjs', GRAB!, by('ann'))).toMatch(/code: '0', redPacketId: '\d+', amount: '/);
    const none = envOf('ann', 'user', { ACTIVITY: '999999' });
    expect(await outputOf('http.mjs', GRAB!, none)).toBe('activity.not_found\n');
    const news = await outputOf('gateway.mjs', OVER_GATEWAY!, by('bob'));
    expect(news).toMatch(/code: '0', redPacketId: '\d+', amount: '/);
    expect(news).toMatch(/^wallet\.credited \{/m);
    expect(await outputOf('common.cjs', COMMON_JS, by('cleo'))).toBe('0 true\n');
  });

  it('deposit as staff, and grab as a server that acts for a user, as their page says', async () => {
    expect(await outputOf('deposit.mjs', DEPOSIT!, envOf('op', 'operator'))).toMatch(
      /^the wallet has \d+\.\d\d\n/,
    );
    const ACTIVITY = await rain.createActivity({ sponsorId: 'packer', packetCount: 1 });
    const acted = await outputOf('act-for.mjs', ACT_FOR!, envOf('shop', 'server', { ACTIVITY }));
    expect(acted).toMatch(/code: '0', redPacketId: '(\d+)'[^]*redPacketId: '\1'/);
  });

  it('create an activity that is drawn with a word of its sponsor, as their page says', async () => {
    await rain.deposit('dora', '10.00');
    const created = await outputOf('with-word.mjs', WITH_WORD!, envOf('dora', 'user'));
    expect(created).toMatch(/^\d+ [0-9a-f]{64}\n$/);
  });

  it('receive the messages of a webhook, as their page says, and refuse others', async () => {
    const [secret, port] = [newSecret(), await freePort()];
    writeFileSync(join(directory, 'receive.mjs'), RECEIVE!);
    const env = { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: String(port) };
    const receiver = spawn(process.execPath, ['receive.mjs'], { cwd: directory, env });
    try {
      await once(receiver.stdout, 'data');
      const data = { messageId: 'claim_1_credited', userId: 'ann', amount: '7.10' };
      const body = JSON.stringify({ type: 'wallet.credited', timestamp: '2031-01-01T00:00:00.000Z', data });
      const timestampSeconds = Math.floor(Date.now() / 1_000);
      const headers = signatureHeaders([secret], { id: data.messageId, timestampSeconds, body });
      const send = async (text: string) => {
        const said = once(receiver.stdout, 'data');
        const { status } = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: text });
        return [status, String((await said)[0])];
      };
      expect(await send(body)).toEqual([204, 'ann 7.10\n']);
      expect(await send(`${body} `)).toEqual([
        401,
        expect.stringMatching(/^None of the secrets has signed /),
      ]);
    } finally {
      receiver.kill();
    }
  });

  it('have types for ES modules, CommonJS and bundlers', async () => {
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

  it('show the documentation of an operation where its method is called', async () => {
    const file = join(directory, 'hover.mts');
    const text = `import { ApiClient } from '@hongbao/client';\nnew ApiClient('', '').createActivity`;
    writeFileSync(file, text);
    const { default: ts } = await import('typescript');
    const service = ts.createLanguageService({
      getCompilationSettings: () => ({ module: ts.ModuleKind.Node20, target: ts.ScriptTarget.ES2023 }),
      getScriptFileNames: () => [file],
      getScriptVersion: () => '0',
      getScriptSnapshot: (name) => {
        const found = ts.sys.readFile(name);
        return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
      },
      getCurrentDirectory: () => directory,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: (name) => ts.sys.fileExists(name),
      readFile: (name) => ts.sys.readFile(name),
    });
    const hover = service.getQuickInfoAtPosition(file, text.length - 1);
    expect(ts.displayPartsToString(hover!.documentation)).toMatch(
      /^Create and fund an activity\n[^]*`POST \/v1\/activities`$/,
    );
  });

  it('have the command line of operators', async () => {
    const program = join(directory, 'node_modules', '.bin', 'hongbao-admin');
    const help = await run(program, ['--help']);
    expect(help.stdout).toContain('Usage: hongbao-admin [options] [command]');
    const tooOld = run(await nodeOf(TOO_OLD), [program, '--help']);
    await expect(tooOld).rejects.toMatchObject({ stderr: faultOfOld('.') });
    const { stdout } = await run(program, ['webhooks', 'list', '--json'], { env: envOf('op', 'operator') });
    expect(JSON.parse(stdout)).toMatchObject({ items: [] });
  });

  it('check a receiver of payouts with the secret that their help generates, and name its faults', async () => {
    const npx = (...args: string[]) =>
      run('npx', ['--offline', 'hongbao-conformance', ...args], {
        cwd: directory,
        env: { PATH: process.env.PATH, npm_config_cache: join(directory, 'cache') },
      });
    const { stdout: help } = await npx('--help');
    expect(help).toMatch(/^npx hongbao-conformance --url URL --secret whsec_…/);
    const [line] = /node -p .+$/m.exec(help)!;
    expect(codeIn('src/dev/conformance/README.md', 'sh')[0]).toBe(`${line}\n`);
    expect(readFileSync(resolve('docs', 'payouts.md'), 'utf8')).toContain(line);
    const secret = (await run('sh', ['-c', line])).stdout.trim();
    const receiver = await ReceiverProgram.start(NODE, { secret });
    try {
      const options = ['--url', receiver.url, '--payouts', '20', '--json'];
      const { stdout } = await npx(...options, '--secret', secret);
      const results = JSON.parse(stdout) as { name: string; result: string }[];
      expect(results.filter(({ result }) => result === 'failed')).toEqual([]);
      expect(results.filter(({ result }) => result === 'passed').length).toBeGreaterThan(15);
      await expect(npx(...options, '--secret', newSecret())).rejects.toMatchObject({ code: 1 });
      await expect(npx('--url', receiver.url)).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringContaining(
          '--help has a line that makes one.\nUsage: npx hongbao-conformance --help',
        ),
      });
    } finally {
      await receiver.stop();
    }
  });
});
