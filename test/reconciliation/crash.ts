export type Steps = Record<string, (...args: unknown[]) => Promise<unknown>>;

export const stepsOf = (type: { readonly prototype: object }): Steps => type.prototype as Steps;

/** Does the work, and expects it to fail with an error before or after this step. */
export async function crashIn(
  work: () => Promise<unknown>,
  steps: Steps,
  step: string,
  when: string,
): Promise<void> {
  const done = steps[step]!;
  const spy = jest.spyOn(steps, step).mockImplementationOnce(async function (this: unknown, ...args) {
    if (when === 'after') await done.apply(this, args);
    throw new Error('crashed');
  });
  await expect(work()).rejects.toThrow('crashed');
  spy.mockRestore();
}
