import './fast-lane.cases';
import './gateway.cases';
import { shareRains } from './taps';

/** Taps by HTTP and over the gateway, whose answers are the same. */
shareRains();
