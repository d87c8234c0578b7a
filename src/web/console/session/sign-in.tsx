import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RoleNaming } from '../../../../libs/roles';
import type { Language } from '../../kit/language';
import { go } from '../ui/address';
import { Field } from '../ui/form';
import { LanguageButton } from '../ui/language-button';
import { Missing } from '../ui/missing';
import { Complaint } from '../ui/outcome';
import { SIGN_IN_WORDS } from '../words/sign-in';
import type { Client } from './open-id';
import { staffOf } from './staff';

interface SignInProps {
  /** The service, if configured. */
  readonly service?: Client;
  readonly roles: RoleNaming;
  /** The tab had a token that is not a staff token. */
  readonly refused: boolean;
  /** The last sign-in ended by itself. */
  readonly hasEnded: boolean;
  readonly language: Language;
  readonly onToken: (token: string) => void;
  readonly onSwitch: (other: Language) => Promise<void>;
}

export function SignIn({ service, roles, refused, hasEnded, language, onToken, onSwitch }: SignInProps) {
  const words = SIGN_IN_WORDS[language];
  const [token, setToken] = useState('');
  const [isWrong, setWrong] = useState(refused);
  useEffect(() => {
    document.title = words.title;
  }, [words]);
  const signIn = (given: string) => {
    if (staffOf(given, roles)) onToken(given);
    else setWrong(true);
  };
  const form = (
    <>
      <div class="row">
        <h1>{words.title}</h1>
        <LanguageButton {...{ language, onSwitch }} />
      </div>
      {hasEnded && <p role="status">{words.hasEnded}</p>}
      {service && (
        <>
          <ByService {...{ service, language }} mayLeave={!hasEnded} onToken={signIn} />
          <p class="or">{words.or}</p>
        </>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          signIn(token.trim());
        }}
      >
        <Field label={words.token} value={token} onValue={setToken} secret hint={words.tokenHint} />
        <button class={service ? undefined : 'main'}>{words.signIn}</button>
        <Complaint fault={isWrong ? { sentence: words.notStaff } : undefined} />
      </form>
    </>
  );
  return hasEnded ? <Above title={words.title}>{form}</Above> : <main class="sign-in">{form}</main>;
}

/** A second Escape would close the dialog of the page below, with all that was typed there. */
function keepOpen(event: KeyboardEvent): void {
  if (event.key === 'Escape') event.preventDefault();
}

/** The page that the user was on waits below, out of sight. An open dialog there would block everything else. */
function Above({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const show = () => dialog.current?.showModal();
  useLayoutEffect(show, []);
  return (
    <dialog ref={dialog} class="again" aria-label={title} onKeyDown={keepOpen} onClose={show}>
      {children}
    </dialog>
  );
}

type Words = (typeof SIGN_IN_WORDS)[Language];

interface ByServiceProps {
  readonly service: Client;
  readonly language: Language;
  /** Nothing is lost if this tab goes to the service. */
  readonly mayLeave: boolean;
  readonly onToken: (token: string) => void;
}

/** Signs a user in by an existing account. A user who returns from the service is signed in at once. */
function ByService({ service, language, mayLeave, onToken }: ByServiceProps) {
  const words = SIGN_IN_WORDS[language];
  const [isBusy, setBusy] = useState(false);
  const [complaint, complain] = useState<string>();
  const [isMissing, setMissing] = useState(false);
  /** @returns whether it went well */
  const run = async (step: (openId: typeof import('./open-id')) => Promise<void>): Promise<boolean> => {
    setBusy(true);
    complain(undefined);
    const openId = await import('./open-id').catch(() => undefined);
    setMissing(openId === undefined);
    try {
      await (openId && step(openId));
      return openId !== undefined;
    } catch (fault) {
      complain(explained(fault, words));
      return false;
    } finally {
      setBusy(false);
    }
  };
  const finish = () =>
    run(async ({ finishSignIn }) => {
      const finished = await finishSignIn(service, (href) => go(href, { replace: true }));
      if (finished === undefined) return;
      onToken(finished.token);
      if (finished.isForOtherTab) close();
    });
  const begin = async () => {
    // Browsers let a page open a tab only at once, when its user has pressed a button.
    const tab = mayLeave ? window : open('about:blank');
    if (!tab) return complain(words.blocked);
    const isOnItsWay = await run(({ beginSignIn }) => beginSignIn(service, tab));
    // The reason is here, and not in the empty tab.
    if (!isOnItsWay && tab !== window) tab.close();
  };
  useEffect(() => void finish(), []);
  return (
    <>
      <button class="main" aria-disabled={isBusy} onClick={() => void begin()}>
        {words.byAccount}
      </button>
      <Complaint fault={complaint === undefined ? undefined : { sentence: complaint }} />
      {isMissing && <Missing language={language} />}
    </>
  );
}

/** The service's own reason, if it gave one. */
function explained(fault: unknown, words: Words): string {
  const { error, error_description: why } = fault as { error?: string; error_description?: string };
  if (error === undefined) return words.invalid(String(fault));
  return words.refused(why ? `${error} (${why})` : error);
}
