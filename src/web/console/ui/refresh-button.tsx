import { RefreshCw } from 'lucide';
import { words } from '../words';
import { Icon } from './icon';

interface RefreshButtonProps {
  /** What is asked for again, where the page has more. */
  readonly of?: string;
  readonly onClick: () => void;
}

export function RefreshButton({ of, onClick }: RefreshButtonProps) {
  const title = words.common.lookAgain;
  return (
    <button aria-label={of === undefined ? title : `${title}: ${of}`} title={title} onClick={onClick}>
      <Icon of={RefreshCw} />
    </button>
  );
}
