import { isSigned, newSecret, signatureHeaders } from '.';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const MESSAGE = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1614265330,
  body: '{"test": 2432232314}',
};
const at = (seconds: number) => MESSAGE.timestampSeconds + seconds;
const headers = signatureHeaders([SECRET], MESSAGE);
const believed = (secrets: string[], changed: object = {}, body = MESSAGE.body, now = at(0)) =>
  isSigned(secrets, { ...headers, ...changed }, body, now);

it("a message is signed as in the standard's example", () => {
  expect(headers).toEqual({
    'webhook-id': MESSAGE.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

it('while a secret is rotated, a receiver that knows either believes the message', () => {
  const other = newSecret();
  const both = signatureHeaders([other, SECRET], MESSAGE);
  expect(
    [[SECRET], [other], [newSecret(), SECRET], [newSecret()]].map((known) => believed(known, both)),
  ).toEqual([true, true, true, false]);
});

it('a message is believed for five minutes, by clocks that differ by as much', () => {
  const ages = [-301, -300, 300, 301];
  expect(ages.map((age) => believed([SECRET], {}, MESSAGE.body, at(age)))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

it.each<[string, object]>([
  ['another id', { 'webhook-id': 'msg_other' }],
  ['another instant', { 'webhook-timestamp': '1614265331' }],
  ['no signature', { 'webhook-signature': undefined }],
  ['an empty signature', { 'webhook-signature': 'v1,' }],
  [
    'a signature of another version',
    { 'webhook-signature': headers['webhook-signature']!.replace('v1', 'v2') },
  ],
  ['an instant that is no number', { 'webhook-timestamp': 'now' }],
])('a message with %s is not believed', (_, changed) => {
  expect(believed([SECRET], changed)).toBe(false);
});

it('a message with another body is not believed', () => {
  expect(believed([SECRET], {}, '{"test": 2432232315}')).toBe(false);
});
