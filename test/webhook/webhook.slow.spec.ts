import './delivery.cases';
import './registration.cases';
import { rain, shareInstallationWithoutWorker } from '../harness/shared-installation';
import { IMPATIENT } from './support';

shareInstallationWithoutWorker(IMPATIENT);

afterEach(async () => {
  const { body } = await rain.operator().get('/v1/webhooks');
  for (const { id } of body.items)
    expect((await rain.operator().delete(`/v1/webhooks/${id}`)).status).toBe(204);
});
