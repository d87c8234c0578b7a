import { moneyText } from '../kit/money';
import { momentText } from './moment';
import { usePages } from './pages';
import { Person } from './person';
import { ShowMore, useNextFocus } from './show-more';
import type { Visit } from './visit';
import { Waiting } from './waiting';

export interface WhoGotWhatProps extends Visit {
  readonly activityId: string;
  readonly round: number;
}

export function WhoGotWhat({ activityId, round, ...visit }: WhoGotWhatProps) {
  const { api, session, words, language } = visit;
  const grabs = usePages((query) => api.listGrabs(activityId, query), session, [api, activityId, round]);
  const items = grabs.value?.items ?? [];
  const list = useNextFocus<HTMLUListElement>(items.length);
  return (
    <>
      <h3>{words.whoGot}</h3>
      {grabs.value && items.length === 0 && <p class="hint">{words.nobodyYet}</p>}
      <ul ref={list.ref}>
        {items.map(({ redPacketId, userId, amount, currency, confirmedAt, isBest, thanks }) => (
          <li key={redPacketId} tabIndex={-1}>
            <span>{userId === session.user ? words.you : <Person id={userId} />}</span>
            <strong>{moneyText(amount, currency, language)}</strong>
            <small>{momentText(confirmedAt, language)}</small>
            {isBest && <em>{words.best}</em>}
            {thanks && <q>{thanks.text}</q>}
          </li>
        ))}
      </ul>
      <Waiting {...visit} answer={grabs} />
      <ShowMore words={words} more={grabs.more} onMore={list.remember} />
    </>
  );
}
