import { useState } from 'preact/hooks';
import { ApiProblem } from '../../../libs/client';
import type { Words } from './words';

interface CheckProps {
  /** Says what it has found. */
  readonly check: () => Promise<string>;
  readonly words: Words;
}

/** Lets anybody check what was published of the rain, whether they are signed in or not. */
export function RainCheck({ check, words: { rainCheck: words } }: CheckProps) {
  const [said, say] = useState<string>();
  const [isChecking, setChecking] = useState(false);
  const run = async () => {
    say(words.checking);
    setChecking(true);
    say(await check().catch(whyNot));
    setChecking(false);
  };
  const whyNot = (error: unknown) =>
    error instanceof ApiProblem && error.status === 404 ? words.unknown : words.failed;
  return (
    <>
      <p role="status" class="hint">
        {said}
      </p>
      <button class="quiet" aria-disabled={isChecking} onClick={() => void (isChecking || run())}>
        {words.check}
      </button>
    </>
  );
}
