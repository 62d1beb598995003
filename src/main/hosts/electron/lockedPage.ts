/** What every page of ours runs under: an OS-sandboxed renderer, isolated from its preload, without Node, webviews or mixed content. */
export const lockedPage = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  webviewTag: false,
  navigateOnDragDrop: false,
  allowRunningInsecureContent: false,
  spellcheck: false, // it would fetch dictionaries from the network
} as const;
