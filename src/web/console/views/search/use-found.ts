import { useEffect, useState } from 'preact/hooks';
import type { ApiClient } from '../../../../../libs/client';
import type { Person } from '../../session/staff';
import { useAnswer } from '../../ui/asking';
import type { Fault } from '../../ui/fault';
import { words } from '../../words';
import { find, type Found } from './find';

/** A pause in typing, after which the API is asked. */
const PAUSE_MS = 250;

interface Finding {
  readonly found: readonly Found[];
  readonly fault?: Fault;
  readonly isAsking: boolean;
}

/** Finds everything with this name: pages at once, and all else after a pause in typing. */
export function useFound(api: ApiClient, person: Person, text: string): Finding {
  const asked = usePaused(text);
  const answer = useAnswer(
    async (options) => (asked === '' ? [] : find(api, person, asked, options)),
    [api, person.role, asked],
  );
  const isCurrent = asked === text;
  const found = isCurrent ? (answer.value ?? []) : [];
  return {
    found: [...pagesNamed(text), ...found],
    fault: isCurrent ? answer.fault : undefined,
    isAsking: !isCurrent || !(answer.value || answer.fault),
  };
}

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

const pagesNamed = (text: string): readonly Found[] =>
  Object.entries(words.navigation.parts)
    .filter(([, title]) => text !== '' && title.toLowerCase().startsWith(text.toLowerCase()))
    .map(([part, name]) => ({ kind: 'page', name, to: [part] }));
