import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Language, preferredLanguage, speak } from '../kit/language';
import type { Session } from '../kit/session';
import type { PageSettings } from '../kit/settings';
import { useToken } from '../kit/use-token';
import { SignIn } from './session/sign-in';
import { useSharedSession } from './session/shared-session';
import { outlasts, useSignedIn } from './session/signed-in';
import { isSame, type Person, staffOf } from './session/staff';
import { root } from './ui/address';
import { SIGN_IN_WORDS } from './words/sign-in';

interface ConsoleProps {
  readonly settings: PageSettings;
  readonly session: Session;
}

/** The sign-in, and the desk of the person who has signed in. */
export function Console({ settings, session }: ConsoleProps) {
  const [language, setLanguage] = useState(preferredLanguage);
  const desk = useDesk(language);
  const token = useToken(session);
  const person = token === undefined ? undefined : staffOf(token, settings.roles);
  const service = useMemo(
    () => settings.signIn && { ...settings.signIn, redirectUri: location.origin + root() },
    [settings],
  );
  const { endsAt, hasEnded, signOut } = useSignedIn(session, token, service);
  /** Whose views are kept: those of a person whose sign-in has ended wait for the next one, with all that was typed. */
  const kept = useRef<Person | undefined>(undefined);
  if (person || !hasEnded) kept.current = person;
  const accepts = (given: string) => {
    const other = staffOf(given, settings.roles);
    if (!other || (kept.current && !isSame(other, kept.current))) return false;
    return session.token === undefined || outlasts(given, session.token);
  };
  const tellSignedOut = useSharedSession({ session, api: settings.api, accepts, onSignedOut: signOut });
  const signOutAll = () => {
    tellSignedOut();
    signOut();
  };
  const switchTo = async (other: Language) => {
    if (desk !== 'missing') await desk?.speakIn(other);
    speak(other);
    setLanguage(other);
  };
  const shown = kept.current;
  const signIn = !person && (
    <SignIn
      service={service}
      roles={settings.roles}
      refused={token !== undefined}
      hasEnded={shown !== undefined}
      language={language}
      onToken={(given) => session.use(given)}
      onSwitch={switchTo}
    />
  );
  if (!shown) return <>{signIn}</>;
  if (desk === undefined || desk === 'missing')
    return <>{signIn || <Waiting language={language} isMissing={desk === 'missing'} />}</>;
  return (
    <>
      {signIn}
      <desk.Desk
        {...{ settings, session, endsAt, language }}
        person={shown}
        isSignedIn={person !== undefined}
        onSwitch={switchTo}
        onSignOut={signOutAll}
      />
    </>
  );
}

type DeskModule = typeof import('./desk');

/** Loads the desk, with its texts, while a person signs in. */
function useDesk(language: Language): DeskModule | 'missing' | undefined {
  const [desk, setDesk] = useState<DeskModule | 'missing'>();
  const wanted = useRef(language);
  wanted.current = language;
  useEffect(() => {
    const load = async () => {
      const loaded = await import('./desk');
      await loaded.speakIn(wanted.current);
      return loaded;
    };
    load().then(setDesk, () => setDesk('missing'));
  }, []);
  return desk;
}

interface WaitingProps {
  readonly language: Language;
  readonly isMissing: boolean;
}

/** Browsers may remember that a module did not load, so the whole page is loaded again. */
function Waiting({ language, isMissing }: WaitingProps) {
  const words = SIGN_IN_WORDS[language];
  return (
    <main class="sign-in">
      <h1>{words.title}</h1>
      <p role={isMissing ? 'alert' : 'status'}>{isMissing ? words.missing : words.loading}</p>
      {isMissing && (
        <button class="main" onClick={() => location.reload()}>
          {words.reload}
        </button>
      )}
    </main>
  );
}
