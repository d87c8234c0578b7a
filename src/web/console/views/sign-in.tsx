import { useEffect, useState } from 'preact/hooks';
import type { RoleNaming } from '../../../../libs/roles';
import type { SignInService } from '../../kit/settings';
import { useDeed } from '../asking';
import { beginSignIn, finishSignIn } from '../open-id';
import { Complaint, Field } from '../parts';
import { staffOf } from '../staff';

interface SignInProps {
  /** The service, where one is configured. */
  readonly service?: SignInService;
  readonly roles: RoleNaming;
  /** The tab had a token that is not a staff token. */
  readonly refused: boolean;
  /** The last sign-in ended by itself. */
  readonly hasEnded: boolean;
  readonly onToken: (token: string) => void;
}

const NOT_STAFF = {
  sentence:
    'The token is not that of staff: it must name the role operator, campaign, finance or support, or that of a channel, where this installation reads roles.',
  fields: [],
  isAnswered: true,
};

export function SignIn({ service, roles, refused, hasEnded, onToken }: SignInProps) {
  const [token, setToken] = useState('');
  const [isWrong, setWrong] = useState(refused);
  const signIn = (given: string) => {
    if (staffOf(given, roles)) onToken(given);
    else setWrong(true);
  };
  return (
    <main class="sign-in">
      <h1>Hongbao console</h1>
      {hasEnded && <p role="status">Your sign-in has ended. Sign in again to go on where you were.</p>}
      {service && <ByService service={service} onToken={signIn} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          signIn(token.trim());
        }}
      >
        <Field
          label="Token"
          value={token}
          onValue={setToken}
          secret
          hint="A bearer token of staff, or of a payout channel. It stays in this tab, and is sent to this API alone."
        />
        <button class="main">Sign in</button>
        <Complaint fault={isWrong ? NOT_STAFF : undefined} />
      </form>
    </main>
  );
}

interface ByServiceProps {
  readonly service: SignInService;
  readonly onToken: (token: string) => void;
}

/**
 * Signs a user in by an existing account. A user who comes back from the service is signed in at
 * once.
 */
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
        Sign in with your account
      </button>
      <Complaint fault={deed.fault} />
    </>
  );
}
