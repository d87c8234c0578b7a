export { newSeed } from './keystream';
export { splitAmount, splitInTurns } from './split';
export type { SplitRequest } from './split';
export { checkSplit, packetBounds, PACKET_COUNT_MAX, SplitInfeasible, TOTAL_MINOR_MAX } from './split-terms';
export type { PacketBounds, SplitField, SplitPlan, SplitTerms, Tier } from './split-terms';
export { type AmountCount, exampleSplit } from './split-example';
