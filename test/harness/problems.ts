import { Problem } from '../../libs/problem';

/** Returns the code of the problem by which work is refused; 'done' if it succeeds. */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof Problem) return error.code;
      throw error;
    },
  );
