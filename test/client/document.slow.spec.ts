import { createConfig, lintFromString } from '@redocly/openapi-core';
import { apiDocument } from '../../src/api-document';
import { compile, generateTypes } from '../harness/api-types';

/** Probes have no client errors, and the server is the one that gave the document. */
const OUR_RULES = { 'operation-4xx-response': 'off', 'no-server-example.com': 'off' } as const;

/** Moments of this century are examples, as local times demand. */
const NOW_MS = Date.UTC(2027, 0, 1);

/** Status 101 opens a WebSocket, but the linter does not count it as success. */
const SWITCHES_PROTOCOLS = {
  ruleId: 'operation-2xx-response',
  message: 'Operation must have at least one `2XX` response.',
  at: '#/paths/~1v1~1gateway/get/responses',
};

/** The data of webhooks, which the variant does not describe. */
const OF_WEBHOOKS = { 'no-unused-components': 'off', 'no-server-example.com': 'off' } as const;

describe('the API document', () => {
  let source: string;

  beforeAll(async () => {
    source = JSON.stringify(await apiDocument(NOW_MS));
  });

  it('passes the linter without a finding', async () => {
    const config = await createConfig({ extends: ['recommended'], rules: OUR_RULES });
    const problems = await lintFromString({ source, config });
    expect(
      problems.map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer })),
    ).toEqual([SWITCHES_PROTOCOLS]);
  });

  it('passes the linter in the variant for OpenAPI 3.0', async () => {
    const config = await createConfig({ extends: ['recommended'], rules: OF_WEBHOOKS });
    const problems = await lintFromString({
      source: JSON.stringify(await apiDocument(NOW_MS, '3.0.3')),
      config,
    });
    expect(
      problems.filter(({ ruleId }) => !ruleId.startsWith('operation-')).map(({ message }) => message),
    ).toEqual([]);
  });

  it('lets a compiler derive the fields from a code, and tell all problems apart', async () => {
    const types = await generateTypes(source);
    const faults = compile(types, {
      amount: `
        import type { components } from './api';
        type Grab = components['schemas']['GrabDto'];
        export const amountOf = (grab: Grab): string | undefined => (grab.code === '0' ? grab.amount : undefined);
        export function describe(grab: Grab): string {
          switch (grab.code) {
            case '0':
            case '1':
              return grab.amount + grab.redPacketId;
            case '2':
              return grab.redPacketId;
            case '-1':
              return grab.reason;
          }
        }`,
      unproven: `
        import type { components } from './api';
        export const amountOf = (grab: components['schemas']['GrabDto']): string => grab.amount;`,
      problems: `
        import type { components, paths } from './api';
        type Answers = paths['/v1/activities/{id}/close']['post']['responses'];
        export const all: components['schemas']['ProblemCode'] = 'wallet.frozen';
        export const some: Answers[409]['content']['application/problem+json']['code'] = 'idempotency.in_flight';`,
      invented: `
        import type { components } from './api';
        export const code: components['schemas']['ProblemCode'] = 'wallet.melted';`,
      webhooks: `
        import type { webhooks } from './api';
        type Body<Event extends keyof webhooks> = webhooks[Event] extends {
          post: { requestBody: { content: { 'application/json': infer Message } } };
        } ? Message : never;
        export const amountOf = ({ data }: Body<'wallet.credited'>): string => data.amount + data.currency;
        export const typeOf = ({ type }: Body<'activity.closed'>): 'activity.closed' => type;`,
    });
    expect(faults).toEqual({
      unproven: [expect.stringContaining("Property 'amount' does not exist")],
      invented: [expect.stringContaining('wallet.melted')],
    });
  });
});
