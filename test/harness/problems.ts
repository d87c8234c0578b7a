import { Problem } from '../../libs/problem';

/** The code of the problem by which something is refused; 'done' when it is not. */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof Problem) return error.code;
      throw error;
    },
  );
