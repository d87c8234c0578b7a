import type { Language } from '../kit/language';
import { moneyText } from '../kit/money';
import type { PurseView, Wallet } from '../kit/purse';
import { PurseDialog } from '../kit/purse-dialog';
import { PURSE_WORDS } from '../kit/purse-words';
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
}

/** The balance, which opens the wallet. */
export function PurseButton({ isOpen, onOpen, player, purse, ...props }: PurseProps) {
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
            {PURSE_WORDS[language].states['needs-user']}
          </span>
        )}
      </button>
      {isOpen && <PurseDialog {...props} purse={player.purse} view={purse} onClose={() => onOpen(false)} />}
    </>
  );
}
