import { hideSecrets, withoutSecrets } from './hidden-secrets';

it.each<[string, NodeJS.ProcessEnv, string, string]>([
  [
    'a password of a URL',
    { REDIS_URL: 'redis://ap:tomato-7@r:6379' },
    'auth ap tomato-7',
    'auth ap [hidden]',
  ],
  ['its escaped form', { REDIS_URL: 'redis://:t%40m@r' }, "'t@m' and t%40m", "'[hidden]' and [hidden]"],
  [
    'a password with every special character of a URL',
    { DATABASE_URL: 'postgres://u:a@b/c#d@host/db' },
    'a@b/c#d',
    '[hidden]',
  ],
  [
    'a password in a parameter',
    { DATABASE_URL: 'postgres://h/db?password=tomato-8' },
    'tomato-8!',
    '[hidden]!',
  ],
  [
    'a URL that is not a secret itself',
    { HTTPS_PROXY: 'http://u:tomato-9@proxy' },
    'at u:tomato-9@proxy',
    'at u:[hidden]@proxy',
  ],
  [
    'a header for the collector',
    { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer tomato-10' },
    'Bearer tomato-10',
    '[hidden]',
  ],
  [
    'basic credentials',
    { REDIS_PASSWORD: 'tomato-11' },
    Buffer.from('tomato-11').toString('base64'),
    '[hidden]',
  ],
  ['a short secret as a whole word', { REDIS_PASSWORD: 'abc' }, 'abc, abcd', '[hidden], abcd'],
  [
    'the longer of two secrets',
    { REDIS_PASSWORD: 'tomato', JWT_SECRET: 'tomato-soup' },
    'tomato-soup',
    '[hidden]',
  ],
])('%s is hidden', (_, env, text, shown) => {
  hideSecrets(env);
  expect(withoutSecrets(text)).toBe(shown);
});

it('a password that is also the user name stays readable, because otherwise every line would lose that word', () => {
  hideSecrets({ DATABASE_URL: 'postgres://hongbao:hongbao@127.0.0.1/hongbao' });
  expect(withoutSecrets('hongbao-api')).toBe('hongbao-api');
});
