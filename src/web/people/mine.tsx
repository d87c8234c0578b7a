import { useState } from 'preact/hooks';
import { CodeList } from './codes';
import { useNews } from './news';
import { usePages } from './pages';
import { shortId } from './person';
import { ReceivedList } from './received';
import { SentList } from './sent';
import type { Visit } from './visit';
import { Wallets } from './wallets';

const TABS = ['received', 'sent', 'codes'] as const;
type Tab = (typeof TABS)[number];

/** The wallets, and what the user has received and sent. Only those who have seen codes have a list of them. */
export function Mine(visit: Visit) {
  const { api, session, words } = visit;
  const [tab, setTab] = useState<Tab>(TABS.find((one) => location.hash === `#${one}`) ?? 'received');
  const { round, thanks } = useNews(visit);
  const codes = usePages((query) => api.listMyCodes(query), session, [api, round]);
  const hasCodes = (codes.value?.items.length ?? 0) > 0;
  const shown = tab === 'codes' && !hasCodes ? 'received' : tab;
  return (
    <>
      <Wallets {...visit} round={round} />
      <nav class="tabs" aria-label={words.mine}>
        {TABS.filter((one) => one !== 'codes' || hasCodes).map((one) => (
          <button key={one} class="quiet" aria-pressed={shown === one} onClick={() => setTab(one)}>
            {words[one]}
          </button>
        ))}
      </nav>
      <p role="status" class="news">
        {thanks && words.hasThanked(shortId(thanks.thankedBy), thanks.text)}
      </p>
      {shown === 'received' && <ReceivedList {...visit} round={round} />}
      {shown === 'sent' && <SentList {...visit} round={round} />}
      {shown === 'codes' && <CodeList {...visit} codes={codes} />}
    </>
  );
}
