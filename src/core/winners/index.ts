export { GrabbedPacketDto } from './winners.dto';
export { WinnersApiModule, WinnersModule } from './winners.module';
export { type ClaimRow, SETTLEMENTS, WonPacketRepository } from './won-packet.repository';
