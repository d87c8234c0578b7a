// Grabs with a generated client: node grab.js ACTIVITY OTHER_ACTIVITY
import { Configuration, GrabDtoCodeEnum, GrabsApi, ProblemDtoFromJSON } from './hongbao';

const { HONGBAO_URL, HONGBAO_TOKEN } = process.env;
const grabs = new GrabsApi(
  new Configuration({ basePath: HONGBAO_URL, accessToken: HONGBAO_TOKEN, fetchApi: fetch }),
);

async function grab(id: string): Promise<string> {
  try {
    const { code, redPacketId, amount, reason } = await grabs.grabPacket({ id });
    if (code === GrabDtoCodeEnum.Refused) return `refused ${reason}`;
    if (code === GrabDtoCodeEnum.Reserved) return `reserved ${redPacketId}`;
    return `won ${redPacketId} ${amount}`;
  } catch (fault) {
    if (!(fault instanceof Response)) throw fault;
    return `problem ${ProblemDtoFromJSON(await fault.json()).code}`;
  }
}

async function main(): Promise<void> {
  for (const id of process.argv.slice(2)) console.log(await grab(id));
  const { items } = await grabs.listMyPackets({});
  for (const { redPacketId, amount } of items) console.log('mine', redPacketId, amount);
}

void main();
