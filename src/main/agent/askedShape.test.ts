import { expect, test } from 'vitest';
import { askedFunctions } from './askedShape.ts';

test.each([
  ['write a function avg(values) and use it', ['avg(values)']],
  ['define a function called `ramp` for this', ['ramp']],
  ['a function named scale(raw, gain)', ['scale(raw, gain)']],
  ['写一个函数 avg(values)，求平均', ['avg(values)']],
  ['写一个名为 slope 的函数', ['slope']],
  ['函数 mean（a，b）', ['mean(a, b)']],
  ['call a function now() without parameters', ['now()']],
  ['read with function code 3', []],
  ['write a function that adds both levels', []],
  ['功能码 03 读取', []],
  ['the function of pump 2 (the big one)', []],
  ['compute the average of tank 1 level', []],
])('%s', (text, expected) => {
  expect(askedFunctions(text)).toEqual(expected);
});
