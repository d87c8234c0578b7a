// Funds a rain with a generated client, and a second person approves each step: node fund.js LETTER
import { randomUUID } from 'node:crypto';
import {
  ActivitiesApi,
  type ApprovalDto,
  ApprovalsApi,
  Configuration,
  DeadLettersApi,
  SplitBodyKindEnum,
  WalletsApi,
} from './hongbao';

const { HONGBAO_URL, HONGBAO_TOKEN, HONGBAO_SECOND_TOKEN } = process.env;
const as = (accessToken?: string) =>
  new Configuration({ basePath: HONGBAO_URL, accessToken, fetchApi: fetch });
const first = as(HONGBAO_TOKEN);
const approvals = new ApprovalsApi(as(HONGBAO_SECOND_TOKEN));

/** Whoever asked is named by requests that wait, and by nothing else. */
async function approved(step: string, answer: Partial<ApprovalDto>): Promise<ApprovalDto> {
  if (answer.askedBy === undefined) throw new Error(`${step} did not wait for a second person`);
  const decided = await approvals.approveRequest({ id: answer.id!, idempotencyKey: randomUUID() });
  console.log(step, answer.amount, decided.status);
  return decided;
}

async function main(letterId: string): Promise<void> {
  const ownerId = 'typescript-sponsor';
  const now = Date.now();
  const deposit = { ownerId, idempotencyKey: randomUUID(), depositBody: { amount: '50.00' } };
  await approved('deposit', (await new WalletsApi(first).depositMoney(deposit)) as Partial<ApprovalDto>);
  const activities = new ActivitiesApi(first);
  const created = await activities.createActivity({
    idempotencyKey: randomUUID(),
    createActivityBody: {
      name: 'Rain in TypeScript',
      sponsorId: ownerId,
      totalAmount: '20.00',
      packetCount: 2,
      split: { kind: SplitBodyKindEnum.Random },
      opensAt: new Date(now),
      closesAt: new Date(now + 3_600_000),
    },
  });
  const { resultId } = await approved('create', created as Partial<ApprovalDto>);
  const topUpBody = { amount: '15.00', packetCount: 3 };
  const more = { id: resultId!, idempotencyKey: randomUUID(), topUpBody };
  await approved('top-up', (await activities.topUpActivity(more)) as Partial<ApprovalDto>);
  const voidBody = { reason: 'The account belongs to a robot.' };
  const letter = { id: letterId, idempotencyKey: randomUUID(), voidBody };
  await approved('void', (await new DeadLettersApi(first).voidDeadLetter(letter)) as Partial<ApprovalDto>);
}

void main(process.argv[2]!);
