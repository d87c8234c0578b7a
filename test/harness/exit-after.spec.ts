import { exitAfter } from './exit-after';

/** The code with which a process would have ended. */
function codeAfter(work: Promise<boolean>): Promise<unknown> {
  return new Promise((end) => {
    jest.spyOn(process, 'exit').mockImplementation(((code: unknown) => end(code)) as never);
    exitAfter(work, 'npm run example');
  });
}

afterEach(() => jest.restoreAllMocks());

it('a command ends with 0 only if its work has succeeded', async () => {
  jest.spyOn(console, 'error').mockImplementation();
  expect(await codeAfter(Promise.resolve(true))).toBe(0);
  expect(await codeAfter(Promise.resolve(false))).toBe(1);
  expect(await codeAfter(Promise.reject(new Error('no such bench')))).toBe(1);
  expect(jest.mocked(console.error).mock.calls.flat()).toEqual([
    'no such bench',
    'Usage: npm run example -- --help',
  ]);
});
