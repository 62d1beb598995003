export function makeTinyGguf(options?: {
  seed?: number;
  ctx?: number;
  script?: { reply: string[]; afterTool?: string[]; args?: string };
}): Buffer;
