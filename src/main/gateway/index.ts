export { createGateway, type HandrailGateway } from './createGateway.ts';
export { gatewayLimits, type GatewayDeps } from './workshop.ts';
export { createArming, armingLimits } from './arming.ts';
export { createExactConsent, type ExactConsent } from './exactConsent.ts';
export { defaultPolicy, type PolicyRules, type AddressRange } from './policy.ts';
export { guardWires, onlyReads, type WireGuard } from './wireGuard.ts';
export { systemClock } from './clock.ts';
export { verdictText } from './verdict.ts';
export { createArmingRecord } from './recorder.ts';
