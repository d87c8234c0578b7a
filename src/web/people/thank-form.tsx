import { useState } from 'preact/hooks';
import { ApiProblem, newKey, type Schema } from '../../../libs/client';
import { isSignedOut } from './answer';
import type { Visit } from './visit';
import { refusalText } from './words';

const TEXT_MAX = 60;

interface ThankProps extends Visit {
  readonly packet: Schema<'WonPacketDto'>;
  readonly onThanked: () => void;
}

export function ThankForm({ api, session, words, packet, onThanked }: ThankProps) {
  const [text, setText] = useState('');
  const [key] = useState(newKey);
  const [error, setError] = useState<unknown>();
  const thank = async (said: string) => {
    try {
      await api.thankForPacket(packet.redPacketId, { text: said }, { key: key + said.length });
      onThanked();
    } catch (fault) {
      if (isSignedOut(fault)) return session.requestToken();
      if (fault instanceof ApiProblem && fault.code === 'thanks.given') return onThanked();
      setError(fault);
    }
  };
  const id = `thanks-${packet.redPacketId}`;
  return (
    <form
      class="thanks"
      aria-label={words.thank}
      onSubmit={(event) => {
        event.preventDefault();
        void thank(text);
      }}
    >
      <div class="ways">
        {words.thanks.map((one) => (
          <button key={one} type="button" class="quiet" onClick={() => void thank(one)}>
            {one}
          </button>
        ))}
      </div>
      <label for={id}>{words.thankInWords}</label>
      <div class="line">
        <input
          id={id}
          required
          maxLength={TEXT_MAX}
          autoComplete="off"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button class="quiet">{words.thank}</button>
      </div>
      <p role="alert" class="fault">
        {error !== undefined && refusalText(error, words)}
      </p>
    </form>
  );
}
