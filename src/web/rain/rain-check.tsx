import { useState } from 'preact/hooks';
import { ApiClient, ApiProblem } from '../../../libs/client';
import type { Language } from '../kit/language';
import type { Session } from '../kit/session';
import type { PageSettings } from '../kit/settings';
import { EXTRA_WORDS } from './extra-words';
import type { LoadCheck } from './packet-check';

interface CheckProps {
  readonly activityId: string;
  readonly settings: PageSettings;
  readonly session: Session;
  readonly loadCheck: LoadCheck;
  readonly language: Language;
}

/** Lets anyone check what was published of the rain, whether they are signed in or not. */
export function RainCheck({ activityId, settings, session, loadCheck, language }: CheckProps) {
  const { rainCheck: words, drawn } = EXTRA_WORDS[language];
  const [said, say] = useState<string>();
  const [isChecking, setChecking] = useState(false);
  const check = async () => {
    const { sayRain } = await loadCheck();
    const { token } = session;
    return sayRain(new ApiClient(settings.api, token, keysFor(token, session)), activityId, language, drawn);
  };
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

/** A password is of no use without a token. */
const keysFor = (token: string | undefined, { keys }: Session) =>
  token === undefined ? { shareCode: keys.shareCode } : keys;
