/** Rewrites the maximum in a module's memory section: the engine then refuses to grow, and the program sees that memory is full. */
const MEMORY_SECTION = 5;

function readUnsigned(bytes, from) {
  let value = 0;
  let at = from;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 0x7f) * 2 ** shift;
    if ((byte & 0x80) === 0) return { value, at };
  }
}
function writeUnsigned(number) {
  const out = [];
  do {
    const low = number & 0x7f;
    number >>>= 7;
    out.push(number === 0 ? low : low | 0x80);
  } while (number !== 0);
  return out;
}

export function withMemoryLimit(module, pages) {
  for (let at = 8; at < module.length;) {
    const id = module[at];
    const size = readUnsigned(module, at + 1);
    const end = size.at + size.value;
    if (id === MEMORY_SECTION) {
      const count = readUnsigned(module, size.at);
      if (count.value !== 1) throw new Error(`The module has ${count.value} memories.`);
      const least = readUnsigned(module, count.at + 1);
      const content = [1, 1, ...writeUnsigned(least.value), ...writeUnsigned(Math.max(pages, least.value))];
      const out = new Uint8Array(at + 1 + writeUnsigned(content.length).length + content.length + (module.length - end));
      out.set(module.subarray(0, at));
      const section = [MEMORY_SECTION, ...writeUnsigned(content.length), ...content];
      out.set(section, at);
      out.set(module.subarray(end), at + section.length);
      return out;
    }
    at = end;
  }
  throw new Error('The module has no memory of its own.');
}
