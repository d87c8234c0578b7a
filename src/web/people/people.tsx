import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiClient, Line } from '../../../libs/client';
import { isInFrame } from '../kit/frame';
import { guestToken } from '../kit/guest';
import { type Language, preferredLanguage, speak } from '../kit/language';
import type { Session } from '../kit/session';
import type { PageSettings } from '../kit/settings';
import { useToken } from '../kit/use-token';
import { Mine } from './mine';
import { Send } from './send';
import type { Visit } from './visit';
import { WORDS } from './words';

interface PeopleProps {
  readonly settings: PageSettings;
  readonly session: Session;
  /** Else it shows what was sent and received. */
  readonly isSending: boolean;
}

/** The pages of packets between people: `/send` and `/me`, which a tab has once. */
export function People({ settings, session, isSending }: PeopleProps) {
  const [language, setLanguage] = useState<Language>(preferredLanguage);
  const token = useToken(session);
  const ways = useMemo(() => waysOf(settings.api, token), [settings.api, token]);
  const words = WORDS[language];
  const title = isSending ? words.send : words.mine;
  useEffect(() => {
    speak(language);
    document.title = title;
  }, [language, title]);
  const visit = ways && { ...ways, session, words, language };
  return (
    <main class="people">
      <header>
        <h1>{title}</h1>
        <button
          class="quiet"
          lang={language === 'en' ? 'zh-CN' : 'en'}
          onClick={() => setLanguage(language === 'en' ? 'zh' : 'en')}
        >
          {words.otherLanguage}
        </button>
        {visit && isSending && (
          <a class="quiet" href="me">
            {words.mineShort}
          </a>
        )}
      </header>
      {!visit && <SignedOut {...{ words, session, settings }} />}
      {visit && (isSending ? <Send key={session.user} {...visit} /> : <Mine key={session.user} {...visit} />)}
    </main>
  );
}

function waysOf(url: string, token: string | undefined): Pick<Visit, 'api' | 'line'> | undefined {
  if (token === undefined) return undefined;
  const api = new ApiClient(url, token);
  return { api, line: new Line(api, url, token) };
}

function SignedOut({
  words,
  session,
  settings,
}: Pick<Visit, 'words' | 'session'> & Pick<PeopleProps, 'settings'>) {
  const play = async () => session.use(await guestToken(settings));
  return (
    <div class="card alone">
      <p role="status">{words.signedOut}</p>
      {settings.guests && (
        <>
          <button class="deed" onClick={() => void play()}>
            {words.asGuest}
          </button>
          <p class="hint">{words.guestHint}</p>
        </>
      )}
      {!settings.guests && isInFrame && (
        <button class="deed" onClick={() => session.requestToken()}>
          {words.askApp}
        </button>
      )}
    </div>
  );
}
