import { urlFault } from './url-fault';

describe('a URL for messages to others', () => {
  it.each([
    'https://example.com/hook?a=b',
    'https://example.com:8443',
    'https://8.8.8.8/',
    'https://[2606:4700::1]/',
  ])('may be %s', (url) => expect(urlFault(url, false)).toBeUndefined());

  it.each([
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://１２７.0.0.1/',
    'https://0/',
    'https://10.1.2.3:8443/x',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
  ])('may not be the private address %s', (url) => {
    expect(urlFault(url, false)?.message).toBe('must be a public address');
    expect(urlFault(url, true)).toBeUndefined();
  });

  it.each([
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:,x',
    'gopher://example.com/',
  ])('may not be %s', (url) => expect(urlFault(url, false)?.message).toBe('must start with https://'));

  it('the URL may be http:// if private addresses are allowed, but have no other protocol', () => {
    expect(urlFault('http://localhost:9/', true)).toBeUndefined();
    expect(urlFault('ftp://localhost/', true)?.message).toBe('must start with https://');
  });

  it.each(['https://user:secret@example.com/', 'https://user@example.com/', 'https://:secret@example.com/'])(
    'a URL with a user or a password is refused: %s',
    (url) => expect(urlFault(url, true)?.message).toBe('must not name a user or a password'),
  );

  it.each([
    '',
    'example.com',
    'https://',
    'https://[fe80::1%25eth0]/',
    `https://example.com/${'x'.repeat(2_048)}`,
  ])('may not be %j, which is not a URL', (url) =>
    expect(urlFault(url, false)?.message).toMatch(/^must be a URL/),
  );
});
