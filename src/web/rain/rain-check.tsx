import { useState } from 'preact/hooks';
import { ApiProblem } from '../../../libs/client';
import type { RainVerdict } from '../kit/fairness';
import type { Words } from './words';

interface CheckProps {
  readonly check: () => Promise<RainVerdict>;
  readonly words: Words;
}

/** Lets anybody check what was published of the rain, whether they are signed in or not. */
export function RainCheck({ check, words: { rainCheck: words, drawn } }: CheckProps) {
  const [said, say] = useState<string>();
  const [isChecking, setChecking] = useState(false);
  const run = async () => {
    say(words.checking);
    setChecking(true);
    say(await check().then(sentenceOf, whyNot));
    setChecking(false);
  };
  const sentenceOf = ({ outcome, packets, seen, drawer }: RainVerdict) => {
    const said = [words.says[outcome](packets)];
    if (outcome === 'kept') said.push(words.seen(seen, packets));
    if (outcome === 'kept' || outcome === 'published') said.push(drawn[drawer]);
    return said.join(' ');
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
