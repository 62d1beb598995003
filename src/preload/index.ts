import { contextBridge, ipcRenderer } from 'electron';

// All of it: one call, and the port that answers it handed on to the page of our own origin. No channel name, no path and
// no secret comes through here; what may be asked over the port is decided in main.
ipcRenderer.on('handrail:port', (event) => {
  window.postMessage('handrail:port', location.origin, event.ports as unknown as Transferable[]);
});
contextBridge.exposeInMainWorld(
  'handrail',
  Object.freeze({ host: 'electron', connect: (): Promise<void> => ipcRenderer.invoke('handrail:connect') as Promise<void> }),
);
