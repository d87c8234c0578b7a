export { definePacketMarks, MarkedPackets, type NumberedPacket, type PacketMarks } from './packet-marks';
export { GrabbedPacketDto } from './winners.dto';
export { WinnersApiModule, WinnersModule } from './winners.module';
export { type ClaimRow, SETTLEMENTS, WonPacketRepository } from './won-packet.repository';
