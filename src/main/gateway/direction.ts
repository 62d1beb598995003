export type Asked = 'raise' | 'lower' | null;

// "Upper limit" and "lower limit" name a thing, they ask for nothing.
const names =
  /\b(?:lower|upper|raised|lowered)[\s-]+(?:limit|bound|alarm|threshold|level|tank|half|section|heater|zone)s?\b|[上下]限|上下|下水|上水|上位|下位|升降/giu;
const lowerWords =
  /\b(?:lower|lowers|lowering|reduce|reduces|reducing|decrease|decreases|decreasing|drop|drops|dropping|cut|slow(?:er)?|cool(?:er)?|less|turn(?:ing)?\s+(?:it\s+|[\w\s]{0,40}?)?down|bring(?:ing)?\s+(?:it\s+|[\w\s]{0,40}?)?down|go(?:ing)?\s+down|dial\s+(?:it\s+)?(?:back|down))\b|降低|调低|减小|减少|下调|调小|减到|降到|降至|减至|降为|减慢|降温|降压|降速|减速|减|降|放慢|关小|开小/giu;
const raiseWords =
  /\b(?:raise|raises|raising|increase|increases|increasing|boost|boosts|speed\s+up|faster|hotter|warmer|higher|more|lift|turn(?:ing)?\s+(?:it\s+|[\w\s]{0,40}?)?up|bring(?:ing)?\s+(?:it\s+|[\w\s]{0,40}?)?up|go(?:ing)?\s+up)\b|提高|升高|调高|增加|增大|上调|调大|加大|加到|升到|升至|加至|升为|加快|升温|升压|升速|加速|提升|提到|涨到|开大|升|增/giu;

/** What the person's words ask of one target, or null where they ask for no direction or cannot be told apart. */
export function askedDirection(words: string, aliases: readonly string[]): Asked {
  const text = words.normalize('NFKC').toLowerCase();
  const whole = directionsIn(text, aliases);
  if (whole.size < 2) return [...whole][0] ?? null;
  // "Raise pump 1 and lower pump 2": only the clause that names the target speaks for it.
  const own = clauses(text).filter((clause) => aliases.some((alias) => mentions(clause, alias)));
  const asked = new Set(own.flatMap((clause) => [...directionsIn(clause, aliases)]));
  return asked.size === 1 ? [...asked][0]! : null;
}

function directionsIn(text: string, aliases: readonly string[]): Set<'raise' | 'lower'> {
  let rest = text;
  for (const alias of [...aliases].sort((a, b) => b.length - a.length)) rest = rest.replaceAll(alias.normalize('NFKC').toLowerCase(), ' ');
  rest = rest.replace(names, ' ');
  const found = new Set<'raise' | 'lower'>();
  if (rest.search(lowerWords) >= 0) found.add('lower');
  if (rest.search(raiseWords) >= 0) found.add('raise');
  return found;
}

const clauses = (text: string): string[] =>
  text.split(/[,;，；。、\n]|\.\s|\b(?:and|then|but|while)\b|然后|接着|同时|并且|并|再|和/u).filter((c) => c.trim() !== '');
const squeeze = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_的]/gu, '');
const mentions = (clause: string, alias: string): boolean => alias !== '' && squeeze(clause).includes(squeeze(alias));
