import type { Language } from '../kit/language';
import { moneyText } from '../kit/money';
import type { PurseView, Wallet } from '../kit/purse';
import { useCountUp } from './counting';
import type { Player } from './player';
import type { Words } from './words';

interface PurseProps {
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly player: Player;
  readonly purse: PurseView;
  readonly wallet: Wallet;
  readonly words: Words;
  readonly language: Language;
  readonly extras?: typeof import('./extras');
}

/** The balance, which opens the wallet. */
export function PurseButton({ isOpen, onOpen, player, purse, extras, ...props }: PurseProps) {
  const { wallet, words, language } = props;
  const shown = useCountUp(Number(wallet.balance));
  return (
    <>
      <button class="quiet wallet" aria-haspopup="dialog" onClick={() => onOpen(true)}>
        {words.wallet}{' '}
        <strong data-balance={wallet.balance}>
          {moneyText(wallet.balance, wallet.currency, language, shown)}
        </strong>
        {purse.needsUser && (
          <span class="wanted" role="status">
            {words.waitsForYou}
          </span>
        )}
      </button>
      {isOpen && extras && (
        <extras.PurseDialog {...props} purse={player.purse} view={purse} onClose={() => onOpen(false)} />
      )}
    </>
  );
}
