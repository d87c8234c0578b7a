import { useMemo, useRef, useState } from 'preact/hooks';
import { type Language, preferredLanguage, speak } from '../kit/language';
import type { Session } from '../kit/session';
import type { PageSettings } from '../kit/settings';
import { useModule } from '../kit/use-module';
import { useToken } from '../kit/use-token';
import { SignIn } from './session/sign-in';
import { useSharedSession } from './session/shared-session';
import { outlasts, useSignedIn } from './session/signed-in';
import { isSame, type Person, staffOf } from './session/staff';
import { root } from './ui/address';
import { Missing } from './ui/missing';
import { SIGN_IN_WORDS } from './words/sign-in';

interface ConsoleProps {
  readonly settings: PageSettings;
  readonly session: Session;
}

/** The sign-in, and the desk of the person who has signed in. */
export function Console({ settings, session }: ConsoleProps) {
  const [language, setLanguage] = useState(preferredLanguage);
  const { desk, isMissing, speakAtDesk } = useDesk(language);
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
    await speakAtDesk(other);
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
  if (!desk) return <>{signIn || <Waiting {...{ language, isMissing }} />}</>;
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

/** Loads the desk, with its texts, while a person signs in. */
function useDesk(language: Language) {
  const wanted = useRef(language);
  const { module: desk, isMissing } = useModule(async () => {
    const loaded = await import('./desk');
    // The reader may choose another language while the texts of this one load.
    for (let spoken: Language | undefined; spoken !== wanted.current;) {
      spoken = wanted.current;
      await loaded.speakIn(spoken);
    }
    return loaded;
  });
  const speakAtDesk = async (other: Language) => {
    if (desk) await desk.speakIn(other);
    else wanted.current = other;
  };
  return { desk, isMissing, speakAtDesk };
}

interface WaitingProps {
  readonly language: Language;
  readonly isMissing?: boolean;
}

/** The person has signed in before the desk has loaded. */
function Waiting({ language, isMissing }: WaitingProps) {
  const words = SIGN_IN_WORDS[language];
  return (
    <main class="sign-in">
      <h1>{words.title}</h1>
      {isMissing ? <Missing language={language} /> : <p role="status">{words.loading}</p>}
    </main>
  );
}
