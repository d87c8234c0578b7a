import { FAILPOINTS, failpoint, trapsFrom } from '.';

describe('failpoints', () => {
  it('failpoints can be armed only in tests, whatever the environment says', () => {
    const FAILPOINTS_SET = 'confirm.after-commit=kill@1';
    expect(trapsFrom({ NODE_ENV: 'test', FAILPOINTS: FAILPOINTS_SET }).size).toBe(1);
    for (const NODE_ENV of ['production', 'development', undefined, '']) {
      expect(trapsFrom({ NODE_ENV, FAILPOINTS: FAILPOINTS_SET }).size).toBe(0);
    }
  });

  it.each([
    'nowhere=kill@1',
    'confirm.after-commit=burn@1',
    'confirm.after-commit=kill',
    'confirm.after-commit',
  ])('a trap that cannot be set is refused: %s', (text) => {
    expect(() => trapsFrom({ NODE_ENV: 'test', FAILPOINTS: text })).toThrow('FAILPOINTS');
  });

  it('a failpoint without a trap does nothing', () => {
    for (const name of FAILPOINTS) expect(failpoint(name)).toBeUndefined();
  });
});
