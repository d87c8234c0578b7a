import { useEffect, useState } from 'preact/hooks';
import type { RoleNaming } from '../../../../libs/roles';
import type { SignInService } from '../../kit/settings';
import { useDeed } from '../ui/asking';
import { Field } from '../ui/form';
import { LanguageButton } from '../ui/language-button';
import { Complaint } from '../ui/outcome';
import { words } from '../words';
import { beginSignIn, finishSignIn } from './open-id';
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
  return (
    <main class="sign-in">
      <div class="row">
        <h1>{words.common.title}</h1>
        <LanguageButton onSwitch={onSwitch} />
      </div>
      {hasEnded && <p role="status">{words.signIn.hasEnded}</p>}
      {service && <ByService service={service} onToken={signIn} />}
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
    </main>
  );
}

interface ByServiceProps {
  readonly service: SignInService;
  readonly onToken: (token: string) => void;
}

/** Signs a user in by an existing account. A user who returns from the service is signed in at once. */
function ByService({ service, onToken }: ByServiceProps) {
  const deed = useDeed();
  const finish = async () => {
    const token = await finishSignIn(service);
    if (token !== undefined) onToken(token);
    return undefined;
  };
  const begin = async () => {
    await beginSignIn(service);
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
