import type { Language } from '../../kit/language';
import { SIGN_IN_WORDS } from '../words/sign-in';

/** A part that loads later is missing: the network failed, or the server has been upgraded since. */
export function Missing({ language }: { readonly language: Language }) {
  const words = SIGN_IN_WORDS[language];
  return (
    <div class="row">
      <span role="alert" class="complaint">
        {words.missing}
      </span>
      <button onClick={() => location.reload()}>{words.reload}</button>
    </div>
  );
}
