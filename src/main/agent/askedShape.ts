/**
 * Functions that a person asked for by name, as `avg(values)` or, without a list of parameters, `avg`. Only where the words
 * leave no doubt: "function code 3" and "a function that adds" ask for none.
 */
export function askedFunctions(text: string): string[] {
  const found = [...text.matchAll(named), ...text.matchAll(listed)].map((m) => ({ name: m[1]!, parameters: m[2] }));
  const asked = new Map<string, string>();
  for (const { name, parameters } of found) {
    const list = parameters?.split(/[,，]/).map((p) => p.trim()) ?? null;
    // Anything but plain names is no list of parameters.
    if (list !== null && !list.every((p) => p === '' || /^[A-Za-z_]\w{0,39}$/.test(p))) continue;
    const said = list === null ? name : `${name}(${list.filter((p) => p !== '').join(', ')})`;
    if (!asked.has(name) || list !== null) asked.set(name, said);
  }
  return [...asked.values()].slice(0, 8);
}

const identifier = '[`"“]?([A-Za-z_]\\w{0,63})[`"”]?';
const parameters = '\\s*[(（]([^()（）]{0,200})[)）]';
/** A name that is said to be one: "a function called avg", 名为 avg 的函数. */
const named = new RegExp(
  `(?:\\b(?:function|method)\\s+(?:called|named)\\s+|(?:名为|名叫|叫做)\\s*)${identifier}(?:${parameters})?(?![\\w.])`,
  'gi',
);
/** A name with its parameters right behind the word: "a function avg(values)", 函数 avg(values). */
const listed = new RegExp(`(?:\\bfunction|\\bmethod|函数|方法)\\s*${identifier}${parameters}`, 'gi');
