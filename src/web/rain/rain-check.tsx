import { useState } from 'preact/hooks';
import { ApiProblem } from '../../../libs/client';
import type { Language } from '../kit/language';
import { EXTRA_WORDS, type ExtraWords } from './extra-words';

interface CheckProps {
  /** Says what it has found. */
  readonly check: (drawn: ExtraWords['drawn']) => Promise<string>;
  readonly language: Language;
}

/** Lets anyone check what was published of the rain, whether they are signed in or not. */
export function RainCheck({ check, language }: CheckProps) {
  const { rainCheck: words, drawn } = EXTRA_WORDS[language];
  const [said, say] = useState<string>();
  const [isChecking, setChecking] = useState(false);
  const run = async () => {
    say(words.checking);
    setChecking(true);
    say(await check(drawn).catch(whyNot));
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
