import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RoleNaming } from '../../../../libs/roles';
import type { SignInService } from '../../kit/settings';
import { useDeed } from '../ui/asking';
import { Field } from '../ui/form';
import { LanguageButton } from '../ui/language-button';
import { Complaint } from '../ui/outcome';
import { words } from '../words';
import { beginSignIn, beginSignInElsewhere, finishSignIn } from './open-id';
import { staffOf } from './staff';

interface SignInProps {
  /** The service, if configured. */
  readonly service?: SignInService;
  readonly roles: RoleNaming;
  /** The tab had a token that is not a staff token. */
  readonly refused: boolean;
  /** The last sign-in ended by itself. */
  readonly hasEnded: boolean;
  readonly onToken: (token: string) => void;
  /** The language has changed. */
  readonly onSwitch: () => void;
}

export function SignIn({ service, roles, refused, hasEnded, onToken, onSwitch }: SignInProps) {
  const [token, setToken] = useState('');
  const [isWrong, setWrong] = useState(refused);
  useEffect(() => {
    document.title = words.common.title;
  }, [words]);
  const signIn = (given: string) => {
    if (staffOf(given, roles)) onToken(given);
    else setWrong(true);
  };
  const form = (
    <>
      <div class="row">
        <h1>{words.common.title}</h1>
        <LanguageButton onSwitch={onSwitch} />
      </div>
      {hasEnded && <p role="status">{words.signIn.hasEnded}</p>}
      {service && <ByService service={service} mayLeave={!hasEnded} onToken={signIn} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          signIn(token.trim());
        }}
      >
        <Field
          label={words.signIn.token}
          value={token}
          onValue={setToken}
          secret
          hint={words.signIn.tokenHint}
        />
        <button class="main">{words.signIn.signIn}</button>
        <Complaint fault={isWrong ? { sentence: words.signIn.notStaff, isAnswered: true } : undefined} />
      </form>
    </>
  );
  return hasEnded ? <Above>{form}</Above> : <main class="sign-in">{form}</main>;
}

/** What the user was doing waits below, out of sight. A dialog of it, if open, would block everything else. */
function Above({ children }: { readonly children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const show = () => dialog.current?.showModal();
  useLayoutEffect(show, []);
  return (
    <dialog ref={dialog} class="again" aria-label={words.common.title} onClose={show}>
      {children}
    </dialog>
  );
}

interface ByServiceProps {
  readonly service: SignInService;
  /** Nothing is lost if this tab goes to the service. */
  readonly mayLeave: boolean;
  readonly onToken: (token: string) => void;
}

/** Signs a user in by an existing account. A user who returns from the service is signed in at once. */
function ByService({ service, mayLeave, onToken }: ByServiceProps) {
  const deed = useDeed();
  const finish = async () => {
    const finished = await finishSignIn(service);
    if (finished === undefined) return undefined;
    onToken(finished.token);
    if (finished.isForOtherTab) close();
    return undefined;
  };
  const begin = async () => {
    await (mayLeave ? beginSignIn(service) : beginSignInElsewhere(service));
    return undefined;
  };
  useEffect(() => void deed.run(finish), []);
  return (
    <>
      <button class="main" aria-disabled={deed.isBusy} onClick={() => void deed.run(begin)}>
        {words.signIn.byAccount}
      </button>
      <Complaint fault={deed.fault} />
    </>
  );
}
