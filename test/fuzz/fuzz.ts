import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from '../../libs/client';
import { type Role, ROLES } from '../../libs/roles';
import { openDemoActivity } from '../../src/dev/local/demo-activity';
import { Progress } from '../../src/dev/local/progress';
import { signToken } from '../../src/platform/http/auth/sign-token';
import { type LocalSystem, startLocalSystem } from '../../src/dev/local/system';
import { verifySystem } from '../../src/dev/local/verify-system';
import { Chance } from '../faults/chance';
import { ApiDocument } from '../harness/api-document';
import { type FrameAnswer, faultOfFrame, FrameMaker, FrameSender, isClose } from './gateway-frames';
import { type FuzzAnswer, faultOf, faultOfBody } from './judge';
import { type FuzzRequest, RequestMaker } from './make-request';
import { Api } from './operations';
import { RainBeside } from './rain-beside';
import { ValidValues } from './values';

const IN_FLIGHT = 16;
const ANSWER_WITHIN_MS = 15_000;
const FAULTS_MAX = 20;
const USERS = ['u1', 'auth0|5f7c', '..u', '%2f', '__proto__', '"\\N\'{}', '~'.repeat(128), 'rich'];
const ACTIVITIES = 5;

/** Frames of the gateway are of three kinds, so a few find all there is to find. */
const REQUESTS_PER_FRAME = 5;

/** All that an installation may have, so that no answer is a refusal because a setting is missing. */
const SETTINGS = {
  NODE_ENV: 'development',
  CODE_SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
  CLAIM_LOG_KEY: Buffer.alloc(32, 9).toString('base64'),
  RATE_LIMIT_USER_PER_SECOND: '1000000000',
  RATE_LIMIT_ADDRESS_PER_SECOND: '1000000000',
};

export interface FuzzOptions {
  readonly requests: number;
  readonly seed: number;
  readonly localDir: string;
}

/** Sends a system requests that no client should send; returns true if it withstands them all. */
export async function fuzz({ requests, seed, localDir }: FuzzOptions): Promise<boolean> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hongbao-fuzz-'));
  const system = await startLocalSystem({ localDir, dataDir, env: SETTINGS });
  try {
    const prepared = await prepare(system, new Chance(`fuzz ${seed}`));
    const rain = await RainBeside.begin(system.apiUrl, tokensOf(system));
    const { faults, statuses } = await bombard(system, prepared.requests, requests);
    const frames = Math.ceil(requests / REQUESTS_PER_FRAME);
    faults.push(...(await bombardGateway(system, prepared, frames)));
    faults.push(...(await rain.end()));
    const fallen = await Promise.race([system.ended, Promise.resolve(undefined)]);
    if (fallen !== undefined) faults.push(fallen);
    const { balanced, output } = await verifySystem(system);
    if (!balanced) faults.push(`an invariant is broken:\n${output}`);
    report(requests, seed, statuses, faults);
    return faults.length === 0;
  } finally {
    await system.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const tokensOf =
  ({ jwtSecret: secret }: LocalSystem) =>
  (sub: string, role: Role): string =>
    signToken({ secret }, { sub, role, ...(role === 'channel' && { channel_id: '1' }) });

interface Prepared {
  readonly requests: RequestMaker;
  readonly frames: FrameMaker;
  /** Valid tokens. */
  readonly tokens: readonly string[];
}

async function prepare(system: LocalSystem, chance: Chance): Promise<Prepared> {
  const token = tokensOf(system);
  const operatorToken = token('operator', 'operator');
  const operator = new ApiClient(system.apiUrl, operatorToken);
  const activityIds: string[] = [];
  for (let i = 0; i < ACTIVITIES; i++) {
    const plan = { sponsorId: 'rich', totalAmount: '100.00', packetCount: 50 };
    activityIds.push((await openDemoActivity(operator, plan)).id);
  }
  await operator.depositMoney('rich', { amount: '1000000.00' });
  const api = await Api.read(system.apiUrl);
  const users = USERS.map((sub) => token(sub, 'user'));
  const wrong = [
    '',
    'x.y.z',
    `${users[0]}x`,
    signToken({ secret: 'x'.repeat(40) }, { sub: 'u1', role: 'operator' }),
  ];
  const operators = users.map(() => operatorToken);
  const others = ROLES.map((role) => token(role, role));
  const values = new ValidValues(api, chance, { activityIds, userIds: USERS });
  const tokens = [...users, ...operators, ...others, chance.pick(wrong)];
  const requests = new RequestMaker(api, chance, values, tokens);
  return { requests, frames: new FrameMaker(chance, activityIds), tokens: [...users, operatorToken] };
}

interface Heard {
  readonly faults: string[];
  readonly statuses: Map<number, number>;
}

async function bombard(system: LocalSystem, maker: RequestMaker, count: number): Promise<Heard> {
  const document = (await ApiDocument.read(system.apiUrl))!;
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
  const heard: Heard = { faults: [], statuses: new Map() };
  const progress = new Progress('Fuzzing', count);
  let left = count;
  const client = async () => {
    while (left-- > 0 && heard.faults.length < FAULTS_MAX) {
      const request = maker.make();
      await ask(system.apiUrl, agent, request).then(
        (answer) => {
          heard.statuses.set(answer.status, (heard.statuses.get(answer.status) ?? 0) + 1);
          const { method, path } = request;
          const fault = faultOf(request, answer) ?? document.undescribed({ method, path, ...answer });
          if (fault) heard.faults.push(`${describe(request)} ${fault}: ${answer.body.slice(0, 200)}`);
        },
        (error: unknown) => heard.faults.push(`${describe(request)} was not answered: ${String(error)}`),
      );
      progress.advance();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, client));
  progress.end();
  agent.destroy();
  return heard;
}

/** Every frame gets an answer as valid as over HTTP, or a documented close. */
async function bombardGateway(system: LocalSystem, { frames, tokens }: Prepared, count: number) {
  const document = (await ApiDocument.read(system.apiUrl))!;
  const faults: string[] = [];
  let left = count;
  const judge = (answer: FrameAnswer) =>
    faultOfBody(answer.status, answer.retryAfter !== undefined, JSON.stringify(answer.body)) ??
    (answer.status >= 400 ? document.undescribedLine('ProblemDto', answer.body) : undefined);
  const client = async (token: string) => {
    const sender = new FrameSender(system.apiUrl, token);
    while (left-- > 0 && faults.length < FAULTS_MAX) {
      const frame = frames.make();
      const fault = await sender.send(frame).then(
        (outcome) => faultOfFrame(frame, outcome) ?? (isClose(outcome) ? undefined : judge(outcome)),
        (error: unknown) => `was not answered: ${String(error)}`,
      );
      if (fault !== undefined) faults.push(`gateway ${frame.toString().slice(0, 300)} ${fault}`);
    }
    sender.close();
  };
  await Promise.all(tokens.map(client));
  return faults;
}

function ask(url: string, agent: Agent, request: FuzzRequest): Promise<FuzzAnswer> {
  const { hostname, port } = new URL(url);
  const { method, path, headers, body } = request;
  return new Promise((resolve, reject) => {
    const outgoing = send({ agent, hostname, port, method, path, headers, timeout: ANSWER_WITHIN_MS });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      const { statusCode: status, headers: told } = response;
      const answer = () =>
        resolve({ status: status!, headers: told, body: Buffer.concat(chunks).toString() });
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', answer);
      // Events never end, so it is enough that they begin.
      if (told['content-type'] === 'text/event-stream') {
        response.once('data', () => {
          answer();
          response.destroy();
        });
      }
    });
    outgoing.end(body);
  });
}

const describe = ({ method, path, headers, body = '' }: FuzzRequest): string => {
  const shown = Object.keys(headers).join(',');
  return `${method} ${path.slice(0, 200)} [${shown}] ${body.slice(0, 300)}`;
};

function report(
  requests: number,
  seed: number,
  statuses: ReadonlyMap<number, number>,
  faults: readonly string[],
): void {
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  console.log(`requests ${requests}, seed ${seed}; answers ${counts.join(', ')}`);
  for (const fault of faults) console.log(`FAULT ${fault}`);
  console.log(`faults ${faults.length}`);
}
