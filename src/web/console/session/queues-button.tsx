import { ListTodo } from 'lucide';
import { useDeed } from '../ui/asking';
import { Icon } from '../ui/icon';
import { Complaint } from '../ui/outcome';
import { words } from '../words';

const PATH = '/queues';

interface QueuesButtonProps {
  readonly api: string;
  readonly token: string;
}

/**
 * Opens the dashboard of the queues. Its pages use no tokens: a cookie signs the user in. It is not part of
 * the API.
 */
export function QueuesButton({ api, token }: QueuesButtonProps) {
  const deed = useDeed();
  const open = async () => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${api}${PATH}/session`, { method: 'POST', headers });
    if (!response.ok) throw new Error(words.navigation.queuesAnswered(response.status));
    location.assign(api + PATH);
    return undefined;
  };
  return (
    <>
      <button onClick={() => void deed.run(open)}>
        <Icon of={ListTodo} />
        {words.navigation.queues}
      </button>
      <Complaint fault={deed.fault} />
    </>
  );
}
