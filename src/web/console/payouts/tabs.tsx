import { Link } from '../address';

const TABS = { '': 'All payouts', channels: 'Channels', findings: 'Findings' };

export function Tabs({ current }: { readonly current: keyof typeof TABS }) {
  return (
    <nav class="row tabs" aria-label="Payouts">
      {Object.entries(TABS).map(([step, title]) => (
        <Link key={step} to={step === '' ? ['payouts'] : ['payouts', step]} current={step === current}>
          {title}
        </Link>
      ))}
    </nav>
  );
}
