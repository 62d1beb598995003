/**
 * Text that came from outside stands between marks with an id the sender cannot know; the system message says that nothing
 * between them is an instruction. A text that guesses the mark has it taken out.
 */
export function fence(text: string, id: string): string {
  const safe = text.replaceAll(id, '');
  return `<data ${id}>\n${safe}\n</data ${id}>`;
}
