import { useEffect, useRef, useState } from 'preact/hooks';
import type { Language } from '../kit/language';
import { EXTRA_WORDS, type ExtraWords } from './extra-words';
import type { PasswordTry, Player } from './player';

const LENGTH_MAX = 64;

interface FormProps {
  readonly player: Player;
  readonly outcome?: PasswordTry;
  readonly language: Language;
}

/** For an activity that opens by a password. Without the right one it cannot be told from one that does not exist. */
export function PasswordForm({ player, outcome, language }: FormProps) {
  const { password: said } = EXTRA_WORDS[language];
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const isWrong = outcome === 'wrong';
  useEffect(() => {
    if (isWrong) input.current?.select();
  }, [isWrong]);
  return (
    <form
      class="password"
      aria-label={said.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (outcome !== 'asking') void player.tryPassword(text);
      }}
    >
      <label for="password">{said.label}</label>
      <input
        ref={input}
        id="password"
        required
        maxLength={LENGTH_MAX}
        autoComplete="off"
        autoCapitalize="off"
        spellcheck={false}
        aria-describedby="password-outcome"
        aria-invalid={isWrong}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <p
        id="password-outcome"
        role="status"
        class={typeof outcome === 'object' || isWrong ? 'fault' : 'hint'}
      >
        {outcome && outcomeText(outcome, said)}
      </p>
      <button class="deed" aria-disabled={outcome === 'asking'}>
        {said.submit}
      </button>
    </form>
  );
}

const outcomeText = (outcome: PasswordTry, said: ExtraWords['password']): string =>
  typeof outcome === 'string' ? said[outcome] : said.tooMany(outcome.againInSeconds);
