import type { ApiClient, Schema } from '../../../../../libs/client';
import { may, type Person } from '../../session/staff';
import { Link } from '../../ui/address';
import { useAnswer } from '../../ui/asking';
import { Confirmed } from '../../ui/confirmed';
import { Complaint } from '../../ui/outcome';
import { words } from '../../words';
import { momentText } from '../../words/language';
import { pageOf } from '../subject';

type UnderWay = Schema<'UnderWayDto'>;

interface StandingProps {
  readonly api: ApiClient;
  readonly person: Person;
  readonly userId: string;
}

/** Whether a person can be erased now, and otherwise what has to end first. */
export function Standing({ api, person, userId }: StandingProps) {
  const standing = useAnswer((options) => api.readStanding(userId, options), [api, userId]);
  const { value } = standing;
  const said = words.erasures;
  const request = async (key: string) => {
    const { id } = await api.requestErasure(userId, { key });
    standing.ask();
    return { text: said.isRequested(id), to: ['approvals'] };
  };
  return (
    <section class="panel" aria-label={said.standing(userId)}>
      <h2>{said.standing(userId)}</h2>
      <Complaint fault={standing.fault} />
      {value && value.underWay.length > 0 && (
        <>
          <p class="warning">{said.endFirst}</p>
          <ul>
            {value.underWay.map((one) => (
              <li key={`${one.what} ${one.id}`}>
                <Waiting of={one} userId={userId} />
              </li>
            ))}
          </ul>
        </>
      )}
      {value?.keptUntil && <p class="warning">{said.keptUntil(momentText(value.keptUntil))}</p>}
      {value && value.underWay.length === 0 && !value.keptUntil && (
        <>
          <p>{said.free}</p>
          {may(person, 'administer') && (
            <>
              <p class="about">{said.isFinal}</p>
              <Confirmed
                title={words.erasures.forget(userId)}
                isDangerous
                typed={userId}
                consequence={said.forgetWill(userId)}
                onConfirm={request}
              />
            </>
          )}
        </>
      )}
    </section>
  );
}

/** An obstacle to the erasure, with a link to the page where it can be ended. */
function Waiting({ of: { what, id }, userId }: { readonly of: UnderWay; readonly userId: string }) {
  const kinds: Readonly<Record<string, string>> = words.erasures.underWay;
  const text = [kinds[what] ?? what, id].filter(Boolean).join(' ');
  const place = placeOf(what, id, userId);
  return place ? (
    <Link to={place.to} query={place.query}>
      {text}
    </Link>
  ) : (
    <>{text}</>
  );
}

interface Place {
  readonly to: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
}

function placeOf(what: string, id: string | null, userId: string): Place | undefined {
  if (what === 'balance' || what === 'frozen-wallet')
    return { to: ['wallets', userId], query: { currency: id ?? '' } };
  if (what === 'dead-letter') return { to: ['dead-letters'], query: { user: userId } };
  const to = pageOf(`${what}:${id}`);
  return to && { to };
}
