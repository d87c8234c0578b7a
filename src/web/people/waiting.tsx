import type { Answer } from './answer';
import type { Visit } from './visit';
import { refusalText } from './words';

type WaitingProps = Pick<Visit, 'words'> & { readonly answer: Answer<unknown> };

/** Why there is nothing yet to show, or nothing new. */
export function Waiting({ words, answer }: WaitingProps) {
  const { value, hurdle, error } = answer;
  if (error !== undefined && value === undefined) {
    return (
      <>
        <p role="alert">{refusalText(error, words)}</p>
        <button class="quiet" onClick={answer.ask}>
          {words.again}
        </button>
      </>
    );
  }
  if (value !== undefined && !hurdle) return null;
  return <p role="status">{hurdle ? words.hurdle[hurdle] : words.loading}</p>;
}
