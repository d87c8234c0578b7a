import { useState } from 'preact/hooks';
import type { Schema } from '../../../libs/client';
import { copy } from '../kit/copy';
import { useAnswer } from './answer';
import { momentText } from './moment';
import type { Pages } from './pages';
import { List } from './row';
import type { Visit } from './visit';
import { Waiting } from './waiting';

type Seen = Schema<'SeenCodeDto'>;

type SeenCodes = Pages<{ readonly items: readonly Seen[]; readonly nextCursor: string | null }>;

/** The codes that the user has seen once, which stay here when their activities are long gone. */
export const CodeList = ({ codes, ...visit }: Visit & { readonly codes: SeenCodes }) => (
  <List {...visit} title={visit.words.codes} sums={[]} page={codes}>
    {(seen) => <CodeRow key={seen.redPacketId} {...visit} seen={seen} />}
  </List>
);

function CodeRow({
  seen: { redPacketId, poolName, firstShownAt },
  ...visit
}: Visit & { readonly seen: Seen }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <button class="row" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="pair">
          <span class="name">{poolName}</span>
          <small>{momentText(firstShownAt, visit.language)}</small>
        </span>
      </button>
      {isOpen && <OpenCode {...visit} redPacketId={redPacketId} />}
    </li>
  );
}

function OpenCode({ api, session, words, redPacketId }: Visit & Pick<Seen, 'redPacketId'>) {
  const answer = useAnswer(() => api.readMyCode(redPacketId, { patient: false }), session, [api]);
  const [said, say] = useState<string>();
  const code = answer.value?.code;
  return (
    <div class="opened">
      {code !== undefined && (
        <>
          <code>{code}</code>
          <button
            class="quiet"
            onClick={async () => say((await copy(code)) ? words.codeCopied : words.copyByHand)}
          >
            {words.copyCode}
          </button>
        </>
      )}
      <p role="status" class="hint">
        {said}
      </p>
      <Waiting words={words} answer={answer} />
    </div>
  );
}
