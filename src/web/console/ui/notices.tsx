import { useEffect, useState } from 'preact/hooks';
import { words } from '../words';
import { Link } from './address';

const NOTICE = 'console.notice';
const SHOWN_MAX = 5;

/** Says what was done, with a link to the result. */
export interface Notice {
  readonly text: string;
  readonly to?: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
}

export function notify(notice: Notice): void {
  dispatchEvent(new CustomEvent(NOTICE, { detail: notice }));
}

/** The latest notices. Each stays until it is dismissed, whatever becomes of the row it is about. */
export function Notices() {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  useEffect(() => {
    const add = ({ detail }: CustomEvent<Notice>) =>
      setNotices((before) => [...before, detail].slice(-SHOWN_MAX));
    addEventListener(NOTICE, add as EventListener);
    return () => removeEventListener(NOTICE, add as EventListener);
  }, []);
  return (
    <div role="status" class="notices">
      {notices.map((notice, i) => (
        <p key={i} class="row">
          <span>{notice.text}</span>
          {notice.to && (
            <Link to={notice.to} query={notice.query}>
              {words.common.seeResult}
            </Link>
          )}
          <button onClick={() => setNotices((before) => before.filter((other) => other !== notice))}>
            {words.common.dismiss}
          </button>
        </p>
      ))}
    </div>
  );
}
