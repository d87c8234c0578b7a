import { setTimeout as pause } from 'node:timers/promises';
import { ApiClient, type Schema } from '../../libs/client';
import { openDemoActivity } from '../../src/dev/local/demo-activity';
import { signToken } from '../../src/platform/http/auth/sign-token';
import type { Steps } from './steps';

const PLAN = { sponsorId: 'sponsor', totalAmount: '90.00', packetCount: 30 };
const USERS = 40;
const SETTLED_WITHIN_MS = 60_000;
const POLL_MS = 50;

type Proof = Schema<'ReconciliationDto'>;

/** Plays a rain over HTTP: forty taps for thirty packets, each twice, payment, close and proof. */
export async function playRain(
  steps: Steps,
  api: { readonly url: string; readonly secret: string; readonly operatorToken: string },
): Promise<void> {
  const operator = new ApiClient(api.url, api.operatorToken);
  const users = Array.from({ length: USERS }, (_, i) => {
    const token = signToken({ secret: api.secret }, { sub: `user-${i}`, role: 'user' });
    return new ApiClient(api.url, token);
  });
  const { id } = await openDemoActivity(operator, PLAN);
  const tap = (user: ApiClient) => user.grabPacket(id);
  const codes = [...(await Promise.all(users.map(tap))), ...(await Promise.all(users.map(tap)))].map(
    ({ code }) => code,
  );
  steps.check('thirty of forty users win', count(codes, '0'), PLAN.packetCount);
  steps.check('they are answered the same again', count(codes, '1'), PLAN.packetCount);
  const paid = await settled(operator, id);
  steps.check('all of it is paid', [paid.claims.credited, paid.credited], [PLAN.packetCount, '90.00']);
  await operator.closeActivity(id);
  const { verdict } = await proofOf(operator, id);
  steps.check('the books balance', verdict, 'balanced');
}

const proofOf = (operator: ApiClient, id: string): Promise<Proof> => operator.reconcileActivity(id);

async function settled(operator: ApiClient, id: string): Promise<Proof> {
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const proof = await proofOf(operator, id);
    if (proof.claims.pending === 0 || performance.now() > deadline) return proof;
    await pause(POLL_MS);
  }
}

const count = (codes: readonly string[], code: string): number => codes.filter((one) => one === code).length;
