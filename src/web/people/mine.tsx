import { useState } from 'preact/hooks';
import { useNews } from './news';
import { shortId } from './person';
import { ReceivedList } from './received';
import { SentList } from './sent';
import type { Visit } from './visit';
import { Wallets } from './wallets';

type Tab = 'received' | 'sent';

/** The wallets, and what the user has received and sent. */
export function Mine(visit: Visit) {
  const { words } = visit;
  const [tab, setTab] = useState<Tab>(location.hash === '#sent' ? 'sent' : 'received');
  const { round, thanks } = useNews(visit);
  return (
    <>
      <Wallets {...visit} round={round} />
      <nav class="tabs" aria-label={words.mine}>
        {(['received', 'sent'] as const).map((one) => (
          <button key={one} class="quiet" aria-pressed={tab === one} onClick={() => setTab(one)}>
            {words[one]}
          </button>
        ))}
      </nav>
      <p role="status" class="news">
        {thanks && words.hasThanked(shortId(thanks.thankedBy), thanks.text)}
      </p>
      {tab === 'received' ? <ReceivedList {...visit} round={round} /> : <SentList {...visit} round={round} />}
    </>
  );
}
