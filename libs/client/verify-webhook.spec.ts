import { UnverifiedWebhook, verifyWebhook, type WebhookMessage } from '.';
import { newSecret, signatureHeaders } from '../standard-webhooks';

const SECRET = newSecret();
const ABOUT = { messageId: 'claim_42_credited', activityId: '2', userId: '红包', redPacketId: '20000010' };
const MESSAGE: WebhookMessage = {
  type: 'wallet.credited',
  timestamp: '2031-01-01T00:00:00.000Z',
  data: { ...ABOUT, amount: '8.56', currency: 'CNY', at: '2031-01-01T00:00:00.000Z' },
};
const BODY = JSON.stringify(MESSAGE);

const signed = ({ ageSeconds = 0, secrets = [SECRET], body = BODY } = {}) => {
  const timestampSeconds = Math.floor(Date.now() / 1_000) - ageSeconds;
  return signatureHeaders(secrets, { id: ABOUT.messageId, timestampSeconds, body });
};

const refusal = (headers: object, body: string = BODY, secrets: string | string[] = SECRET) =>
  verifyWebhook(headers as Record<string, string>, body, secrets).then(
    () => 'verified',
    (error: UnverifiedWebhook) => {
      expect(error).toBeInstanceOf(UnverifiedWebhook);
      return error.reason;
    },
  );

it('the type of a verified message tells the compiler which data it has', async () => {
  const message = await verifyWebhook(signed(), BODY, SECRET);
  expect(message).toEqual(MESSAGE);
  if (message.type === 'activity.closed') {
    // @ts-expect-error: it is about an activity, not about money
    expect(message.data.amount).toBeUndefined();
  }
  expect(message.type === 'wallet.credited' && message.data.amount).toBe('8.56');
});

it.each<[string, (headers: Record<string, string>) => object]>([
  ['of fetch', (headers) => new Headers(headers)],
  ['of Node', (headers) => headers],
  [
    'whose names begin with capitals',
    (headers) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
  ],
])('a message is verified by headers %s, and by the bytes of its body', async (_, given) => {
  const body = new TextEncoder().encode(BODY);
  await expect(verifyWebhook(given(signed()) as Record<string, string>, body, [SECRET])).resolves.toEqual(
    MESSAGE,
  );
});

it('while a secret is replaced, a receiver that knows either verifies the message', async () => {
  const other = newSecret();
  const both = signed({ secrets: [other, SECRET] });
  const known = [[SECRET], [other], [newSecret(), SECRET], [newSecret()]];
  expect(await Promise.all(known.map((secrets) => refusal(both, BODY, secrets)))).toEqual([
    ...['verified', 'verified', 'verified', 'signature'],
  ]);
});

it('a message is accepted for five minutes, even if clocks differ by that much', async () => {
  const ages = [303, 298, -298, -303];
  expect(await Promise.all(ages.map((ageSeconds) => refusal(signed({ ageSeconds }))))).toEqual([
    ...['timestamp', 'verified', 'verified', 'timestamp'],
  ]);
  await expect(verifyWebhook(signed({ ageSeconds: 900 }), BODY, SECRET)).rejects.toThrow(
    /^The message was signed 90\d seconds ago, and 300 are allowed: is this clock right\?$/,
  );
});

it.each<[string, object, UnverifiedWebhook['reason']]>([
  ['another id', { 'webhook-id': 'msg_other' }, 'signature'],
  ['another instant', { 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) - 20) }, 'signature'],
  ['an instant that is not a number', { 'webhook-timestamp': 'now' }, 'timestamp'],
  ['no id', { 'webhook-id': undefined }, 'header'],
  ['no signature', { 'webhook-signature': undefined }, 'header'],
  ['an empty signature', { 'webhook-signature': 'v1,' }, 'signature'],
  ['a signature that is not base64', { 'webhook-signature': 'v1,?' }, 'signature'],
  [
    'a signature of another version',
    { 'webhook-signature': signed()['webhook-signature']!.replace('v1', 'v2') },
    'signature',
  ],
])('a message with %s is not verified', async (_, changed, reason) => {
  expect(await refusal({ ...signed(), ...changed })).toBe(reason);
});

it('neither a message with another body nor a signed body that is not a message is verified', async () => {
  expect(await refusal(signed(), BODY.replace('8.56', '8.57'))).toBe('signature');
  for (const body of ['', 'null', '{"payoutId":"42a1"}', '{'])
    expect(await refusal(signed({ body }), body)).toBe('body');
});

it('a parsed body or an invalid secret is the fault of the receiver, not of the sender', async () => {
  await expect(verifyWebhook(signed(), MESSAGE as never, SECRET)).rejects.toThrow(
    new TypeError('Give the body as text or bytes, as it was received: a parsed body cannot be verified.'),
  );
  for (const secret of ['', SECRET.slice('whsec_'.length), 'whsec_a', undefined, [undefined]])
    await expect(verifyWebhook(signed(), BODY, secret as never)).rejects.toThrow(TypeError);
});
