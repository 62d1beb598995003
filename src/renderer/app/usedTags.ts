/** The union of what the panes show, in a stable order so that a re-render does not subscribe anew. */
export function usedTags(wanted: Readonly<Record<string, readonly string[]>>): string[] {
  return [...new Set(Object.values(wanted).flat())].sort().slice(0, 2000);
}
