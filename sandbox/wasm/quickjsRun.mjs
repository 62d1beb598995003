/**
 * One JavaScript program in QuickJS on WebAssembly: the same in a process and in a page's worker, which differ in their `io` only.
 * Nothing of the host reaches the program but text.
 */
import RELEASE_SYNC from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core';
import { createChannel } from './channel.mjs';
import { checkJavascript } from './jsCheck.mjs';
import { missingFunctions } from './jsShape.mjs';

const FILENAME = '<program>';
const STACK_BYTES = 512 * 1024;
const utf8 = new TextEncoder();

/** `prelude`: our source inside the guest, `engine`: bytes of the interpreter where it cannot be loaded by itself. */
export async function runJavascript(io, { memoryMb, prelude, engine }) {
  const channel = createChannel(io);
  // setMemoryLimit of the emscripten build counts next to nothing; the WebAssembly maximum is what holds.
  const wasmMemory = new WebAssembly.Memory({ initial: 256, maximum: memoryMb * 16 });
  const quickjs = await newQuickJSWASMModuleFromVariant(
    newVariant(RELEASE_SYNC, { wasmMemory, ...(engine === undefined ? {} : { wasmBinary: engine }) }),
  );
  io.uses?.(wasmMemory);
  warmUp(quickjs, prelude);
  const context = quickjs.newContext();
  context.runtime.setMaxStackSize(STACK_BYTES);

  function define(name, handle) {
    context.setProp(context.global, name, handle);
    handle.dispose();
  }
  define(
    '__write',
    context.newFunction('write', (to, text) => io.write(context.getNumber(to) === 2 ? 2 : 1, utf8.encode(context.getString(text)))),
  );
  let calls = 0;
  define(
    '__ask',
    context.newFunction('ask', (name, args) => {
      channel.send(`{"kind":"ask","call":${++calls},"name":${JSON.stringify(context.getString(name))},"args":${context.getString(args)}}`);
      return context.newString(channel.receiveLine());
    }),
  );
  const host = context.unwrapResult(context.evalCode(prelude, 'prelude', { type: 'global' }));
  channel.send({ kind: 'ready' });

  const request = channel.receiveRequest();
  const files = context.newObject();
  for (const input of request.inputs) {
    const handle = context.newString(fromBase64(input.base64));
    context.setProp(files, input.name, handle);
    handle.dispose();
  }
  context.unwrapResult(context.callMethod(host, 'begin', [request.tools ? context.true : context.false, files]));
  const report = context.getProp(host, 'report');

  /** What the program threw, read as text only: a thrown object may have hostile properties. */
  function thrown(handle) {
    const read = (key) => {
      const property = context.getProp(handle, key);
      const text = context.typeof(property) === 'string' ? context.getString(property) : '';
      property.dispose();
      return text;
    };
    if (context.typeof(handle) !== 'object')
      return { name: 'Error', message: `thrown: ${context.getString(handle)}`.slice(0, 400), trace: [] };
    const stack = read('stack');
    const trace = [...stack.matchAll(/at (?:(\S+) )?\(?<program>:(\d+)/g)].map((m) => ({ line: Number(m[2]), in: m[1] ?? '<program>' }));
    return { name: read('name') || 'Error', message: read('message').slice(0, 400), trace: trace.slice(0, 8) };
  }

  function run() {
    if (request.check) {
      const { violations, error } = checkJavascript(request.code);
      if (error !== undefined) return { kind: 'error', error };
      const all = violations.length > 0 ? violations : missingFunctions(request.code, request.defines);
      if (all.length > 0) return { kind: 'rejected', violations: all };
    }
    channel.send({ kind: 'started' });
    const outcome = context.evalCode(request.code, FILENAME, { type: 'global' });
    if (outcome.error) return { kind: 'error', error: thrown(outcome.error) };
    outcome.value.dispose();
    const jobs = context.runtime.executePendingJobs();
    if (jobs.error) return { kind: 'error', error: thrown(jobs.error) };
    const result = context.evalCode('result', FILENAME, { type: 'global' });
    if (result.error) return { kind: 'error', error: thrown(result.error) };
    let value = result.value;
    const state = context.getPromiseState(value);
    if (state.type === 'rejected') return { kind: 'error', error: thrown(state.error) };
    if (state.type === 'fulfilled' && !state.notAPromise) value = state.value;
    if (state.type === 'pending')
      return { kind: 'error', error: { name: 'Error', message: 'The result is a promise that nothing settles.', trace: [] } };
    const packed = context.callFunction(report, context.undefined, value);
    if (packed.error) return { kind: 'error', error: thrown(packed.error) };
    return context.getString(packed.value);
  }

  let message;
  try {
    message = run();
  } catch (error) {
    // Deep recursion inside a native function of the guest surfaces as our own RangeError; this module is thrown away anyway.
    message = {
      kind: 'error',
      error: {
        name: error?.name === 'RangeError' ? 'RangeError' : 'InternalError',
        message: 'The program went too deep or ran out of memory.',
        trace: [],
      },
    };
  }
  channel.send(message);
  channel.waitForEnd();
}

function fromBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return new TextDecoder().decode(bytes);
}

/** Has the engine and the parser compile what most programs use before somebody waits; nothing of this runtime is used again. */
function warmUp(quickjs, prelude) {
  const sample = `
    const rows = [{ tag: 'a', v: 1.5 }, { tag: 'b', v: 2 }].map(({ tag, v }) => ({ tag, v: v * 2, text: \`\${tag} \${v.toFixed(1)}\` }));
    class Sum { total = 0; add(x) { this.total += x; return this; } }
    function* count(n) { for (let i = 0; i < n; i++) yield i; }
    const m = new Map(rows.map((row) => [row.tag, row]));
    try { if (/(\\d+)/.exec('a1')[1] !== '1' || [...count(2)].length + new Sum().add(1).total + m.size < 0) throw new Error('no'); } catch (e) { }
    Promise.resolve(1).then((x) => x + 1);
    JSON.parse(JSON.stringify({ rows, at: new Date(0).toISOString(), list: [3, 1].sort((a, b) => a - b).join() }));
    var result = rows;`;
  const scratch = quickjs.newContext();
  for (const name of ['__write', '__ask'])
    scratch.newFunction(name, () => scratch.undefined).consume((handle) => scratch.setProp(scratch.global, name, handle));
  const host = scratch.unwrapResult(scratch.evalCode(prelude, 'prelude', { type: 'global' }));
  const files = scratch.newObject();
  scratch.unwrapResult(scratch.callMethod(host, 'begin', [scratch.false, files])).dispose();
  scratch.unwrapResult(scratch.evalCode(sample, FILENAME, { type: 'global' })).dispose();
  scratch.runtime.executePendingJobs();
  const value = scratch.unwrapResult(scratch.evalCode('result', FILENAME, { type: 'global' }));
  scratch.getPromiseState(value);
  const report = scratch.getProp(host, 'report');
  scratch.getString(scratch.unwrapResult(scratch.callFunction(report, scratch.undefined, value)));
  checkJavascript(sample);
}
