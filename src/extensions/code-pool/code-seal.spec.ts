import { PoolKey, WrappingKey } from './code-seal';

const SECRET = Buffer.alloc(32, 1);
const key = new PoolKey('7', SECRET);
const sealed = key.seal(1, '恭喜-2WQX');

describe('a sealed code', () => {
  it('is opened by the key of its pool, and differs each time it is sealed', () => {
    expect(key.open(1, sealed)).toBe('恭喜-2WQX');
    expect(new PoolKey('7', SECRET).open(1, sealed)).toBe('恭喜-2WQX');
    expect(key.seal(1, '恭喜-2WQX')).not.toEqual(sealed);
    expect(sealed.toString('latin1')).not.toContain('2WQX');
  });

  it.each<[string, () => string]>([
    ['as another number', () => key.open(2, sealed)],
    ['in another pool', () => new PoolKey('8', SECRET).open(1, sealed)],
    ['by the key of another pool', () => new PoolKey('7', Buffer.alloc(32, 2)).open(1, sealed)],
    ['cut off', () => key.open(1, sealed.subarray(0, -1))],
    ['cut off in its tag', () => key.open(1, sealed.subarray(0, 20))],
    ...Array.from(sealed.keys(), (at): [string, () => string] => [
      `with byte ${at} changed`,
      () => key.open(1, Buffer.from(sealed.map((byte, i) => (i === at ? byte ^ 1 : byte)))),
    ]),
  ])('is not opened %s', (_, open) => {
    expect(open).toThrow(/^Code \d of pool \d was not sealed by its key, or was changed\.$/);
  });

  it('is opened, and found by its digest, as long as it is kept: neither changes with the programs', () => {
    const kept = Buffer.from(
      '0909090909090909090909098501c3e3995cf0fac0d2a92d9a25d262b0864e8a1e079ce2e08e53',
      'hex',
    );
    expect(key.open(1, kept)).toBe('恭喜-2WQX');
    expect(key.digest('a').toString('hex')).toBe('930fd5ce1d26b8b0c9d850fc40db267d');
  });

  it('has a digest that only the key of its pool reproduces', () => {
    expect(key.digest('a')).toEqual(new PoolKey('7', SECRET).digest('a'));
    expect(key.digest('a')).toHaveLength(16);
    for (const other of [key.digest('b'), new PoolKey('7', Buffer.alloc(32, 2)).digest('a')])
      expect(other).not.toEqual(key.digest('a'));
  });
});

describe('the key of a pool', () => {
  const wrapping = new WrappingKey(Buffer.alloc(32, 3));

  it('is unwrapped by the key that wrapped it, for its pool, and by nothing else', () => {
    const wrapped = wrapping.wrap('7', SECRET);
    expect(wrapping.unwrap('7', wrapped)).toEqual(SECRET);
    expect(wrapping.unwrap('8', wrapped)).toBeUndefined();
    expect(new WrappingKey(SECRET).unwrap('7', wrapped)).toBeUndefined();
  });

  it('is new for each pool', () => {
    const secrets = ['7', '7'].map((id) => wrapping.unwrap(id, wrapping.wrapNew(id)));
    expect(secrets.map((secret) => secret?.length)).toEqual([32, 32]);
    expect(secrets[0]).not.toEqual(secrets[1]);
  });
});
