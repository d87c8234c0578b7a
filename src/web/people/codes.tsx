import { useState } from 'preact/hooks';
import type { Schema } from '../../../libs/client';
import { copyShown } from '../kit/copy';
import { useAnswer } from './answer';
import { momentText } from './moment';
import { usePages } from './pages';
import { List } from './row';
import type { Visit } from './visit';
import { Waiting } from './waiting';

type Seen = Schema<'SeenCodeDto'>;

/** The codes that the user has seen once, which stay here long after their activities have ended. */
export function SeenCodes({ round, ...visit }: Visit & { readonly round: number }) {
  const { api, session, words } = visit;
  const page = usePages((query) => api.listMyCodes(query), session, [api, round]);
  return (
    <List {...visit} title={words.codes} empty={words.noCodeSeen} sums={[]} page={page}>
      {(seen) => <CodeRow key={seen.redPacketId} {...visit} seen={seen} />}
    </List>
  );
}

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
  const id = `code-${redPacketId}`;
  const copyIt = async (code: string) =>
    say((await copyShown(code, id)) ? words.codeCopied : words.copyByHand);
  const code = answer.value?.code;
  return (
    <div class="opened">
      {code !== undefined && (
        <>
          <code id={id}>{code}</code>
          <button class="quiet" onClick={() => void copyIt(code)}>
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
