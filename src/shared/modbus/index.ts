export { addressInRequest, parseAddress, readFunction, showAddress, tablePrefix, toReference, toSixDigitReference } from './addresses.ts';
export type { AddressNotation, AddressResult, ResolvedAddress } from './addresses.ts';
export { bitMasks, encodeValue } from './encode.ts';
export { exceptionName, exceptionRemedy, exceptionTexts, lineFaultTexts, type Explanation, type LineFault } from './exceptions.ts';
export { bytesInOrder, parseWordOrder, wordOrders, wordsInOrder } from './order.ts';
export { judgeOrder, type OrderCandidate, type OrderVerdict } from './plausibility.ts';
export { decodeValue, shortestFloat32, tidy } from './values.ts';
export { integerRange, registerCount, sunspecSentinels } from './valueTypes.ts';
export type { DecodedValue, StringEncoding, StringShape, ValueShape, ValueType } from './valueTypes.ts';
