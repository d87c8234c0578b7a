import { Link } from '../../ui/address';
import { words } from '../../words';

export function Tabs({ current }: { readonly current: keyof typeof words.payouts.tabs }) {
  return (
    <nav class="row tabs" aria-label={words.navigation.parts.payouts}>
      {Object.entries(words.payouts.tabs).map(([step, title]) => (
        <Link key={step} to={step === '' ? ['payouts'] : ['payouts', step]} current={step === current}>
          {title}
        </Link>
      ))}
    </nav>
  );
}
