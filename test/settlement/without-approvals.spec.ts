import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ApiModule } from '../../src/api.module';
import { apiDescription } from '../../src/api-description';
import { SecondPerson } from '../../src/core/second-person';
import { DepositService } from '../../src/core/wallet/deposit.service';
import { ApprovalApiModule } from '../../src/extensions/approval/approval.module';
import { ApprovalService } from '../../src/extensions/approval/approval.service';
import { ResolutionService } from '../../src/extensions/payout/watch/resolution.service';
import { PayoutApiModule } from '../../src/extensions/payout/payout.module';
import { PayoutAsks } from '../../src/extensions/payout/ask/payout-asks';
import { AppConfig } from '../../src/platform/config';
import { createDocument, createFastifyAdapter } from '../../src/platform/http';
import { requestOf } from '../harness/books';
import { Graph } from '../harness/graph';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

proveBooks();
shareBooks({ APPROVAL_ABOVE: '0.01', APPROVAL_ABOVE_DAILY: '0.01' });

const PAID = { outcome: 'paid', evidence: 'Bank statement, line 17.' } as const;

/** It shares the connections of the books, which close them in the end. */
const programWithout = (...modules: readonly Type[]): Promise<Graph> =>
  Graph.api({ config: books.config, dataSource: books.dataSource }, [], modules);

const countOf = async (table: 'approval' | 'solo_deed'): Promise<number> => {
  const [row] = await books.dataSource.query<{ count: number }[]>(`select count(*)::int from ${table}`);
  return row!.count;
};

/** Who did what with a subject, according to the audit log. */
const deedsOf = async (subject: string): Promise<string[]> => {
  const rows = await books.dataSource.query<{ deed: string }[]>(
    `select actor_id || ' ' || action as deed from audit_log where subject = $1 order by id`,
    [subject],
  );
  return rows.map(({ deed }) => deed);
};

it('staff deposit, pay out and resolve any amount alone in a program without the approval extension', async () => {
  const channelId = await books.createChannel();
  const program = await programWithout(ApprovalApiModule);
  const deposit = requestOf('finance');
  await program.get(DepositService).deposit(deposit, 'alone', { amount: '5000.00' });
  expect([await books.balance('alone'), deposit.status]).toEqual([5000_00n, 200]);
  const { id, state } = await program
    .get(PayoutAsks)
    .ask(requestOf('alone', 'user'), { amount: '4000.00', channelId });
  expect(state).toBe('reserved');
  const resolved = await program.get(ResolutionService).askToResolve(requestOf('finance'), id, PAID);
  expect(resolved).toMatchObject({ id, state: 'paid', amount: '4000.00' });
  expect((await books.payouts.read(id)).steps.at(-1)).toMatchObject({
    state: 'paid',
    detail: { evidence: PAID.evidence, approvedBy: 'finance' },
  });
  expect([await countOf('approval'), await countOf('solo_deed')]).toEqual([0, 0]);
  expect(await deedsOf(`payout:${id}`)).toEqual(['alone payout.ask', 'finance payout.resolve']);
});

describe('an approval of an action that no part of the program has registered', () => {
  let approvalId: string;
  let payoutId: string;

  beforeAll(async () => {
    await books.deposit('unknown', 1n);
    ({ id: payoutId } = await books.askForPayout('unknown', await books.createChannel(), '0.01'));
    ({ id: approvalId } = await books.resolutions.askToResolve(requestOf('asker'), payoutId, PAID));
  });

  it.each(['approve', 'reject'] as const)(
    'cannot be decided (%s): the answer 503 names the action, and the approval stays pending',
    async (decision) => {
      const approvals = (await programWithout(PayoutApiModule)).get(ApprovalService);
      await expect(approvals[decision](requestOf('decider'), approvalId)).rejects.toMatchObject({
        code: 'unavailable',
        status: 503,
        retryAfterSeconds: 1,
        detail: expect.stringContaining('is for payout.resolve, which this program does not know'),
      });
      expect(await approvals.read(approvalId)).toMatchObject({
        status: 'pending',
        action: 'payout.resolve',
        subject: `payout:${payoutId}`,
        decidedBy: null,
      });
    },
  );

  it('is carried out by a program that has it', async () => {
    await books.approvals.approve(requestOf('decider'), approvalId);
    expect((await books.payouts.read(payoutId)).state).toBe('paid');
    expect((await deedsOf(`payout:${payoutId}`)).at(-1)).toBe('decider payout.resolve');
  });
});

describe('the API document', () => {
  async function documentOf(describe: typeof apiDescription.describe): Promise<OpenAPIObject> {
    const config = new AppConfig();
    const app = await NestFactory.create<NestFastifyApplication>(
      ApiModule.forRoot(config),
      createFastifyAdapter(config),
      { preview: true, logger: false, abortOnError: false },
    );
    return createDocument(app, { ...apiDescription, describe }, 0);
  }

  /** The codes of the problems among these answers. */
  function codesIn({ components }: OpenAPIObject, answers: readonly object[]): string[] {
    const names = answers.map((answer) => ('$ref' in answer ? String(answer.$ref).split('/').at(-1)! : ''));
    const texts = names.flatMap((name) => JSON.stringify(components!.responses![name] ?? ''));
    return texts.flatMap((text) => JSON.parse(/"enum":(\[[^\]]+\])/.exec(text)?.[1] ?? '[]') as string[]);
  }

  const depositOf = ({ paths }: OpenAPIObject) => paths['/v1/wallets/{ownerId}/deposits']!.post!;

  it('names exactly the actions that programs register', async () => {
    const registered = jest.spyOn(SecondPerson.prototype, 'registerDeed');
    await programWithout();
    const { schemas } = (await documentOf(apiDescription.describe)).components!;
    const { properties } = schemas!.ApprovalDto as { properties: { action: { enum: string[] } } };
    const actions = registered.mock.calls.map(([{ action }]) => action);
    expect([...properties.action.enum].sort()).toEqual([...actions].sort());
  });

  it('gives an approval the problems of all requests that may wait for one, but those of users alone', async () => {
    const document = await documentOf(apiDescription.describe);
    const operations = Object.values(document.paths).flatMap((path) => path.post ?? []);
    const [waiting, approving] = [
      operations.filter(({ responses }) => JSON.stringify(responses[202] ?? '').includes('ApprovalDto')),
      operations.filter(({ operationId }) => operationId === 'approveRequest'),
    ].map((some) =>
      some.flatMap(({ responses }) =>
        codesIn(
          document,
          Object.values(responses).flatMap((answer) => answer ?? []),
        ),
      ),
    );
    expect(waiting!.length).toBeGreaterThan(50);
    expect(new Set(waiting!.filter((code) => !approving!.includes(code)))).toEqual(
      new Set([
        ...['activity.too_many_packets', 'audience.too_many_passwords', 'sender.day_full'],
        // The person who asks gets these problems at once, before a request waits.
        ...['commitment.expired', 'commitment.not_found', 'commitment.used'],
      ]),
    );
  });

  it('does not mention a second person if no extension describes one', async () => {
    const document = await documentOf(undefined);
    const { responses, description } = depositOf(document);
    expect(Object.keys(responses)).not.toContain('202');
    expect(description).not.toContain('second person');
    expect(JSON.stringify(document)).not.toContain('x-place');
  });
});
