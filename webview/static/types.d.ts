/** Shapes shared by the modules. The wire is described in ../README.md. */

export interface Patch { op: "replace" | "append" | "item"; id: string; html: string }
export interface Effect { kind: "focus" | "input" | "clear" | "scroll"; id?: string; text?: string }
export interface View { view?: string; seq: number; request: number; patches: Patch[]; effects?: Effect[] | undefined }

export interface Message { jsonrpc: "2.0"; id?: number; method?: string; params?: object; result?: object; error?: { code: number; message: string } }

export interface Bridge {
  send(message: Message): boolean;
  remember(session: string): void;
  recall(): string;
}
export interface Listener { opened(): void; lost(): void; received(message: Message): void }

/** Numbers a webview keeps to tell late answers from new ones. */
export interface Track { next: number; seq: number; floor: number }

export interface Picker {
  keys: string[];
  texts: string[];
  query: string;
  /** Indexes of the rows that match. */
  shown: number[];
  /** Index of the selected row, or -1. */
  selected: number;
}

/** Rows one above the other. `above`: dividers above the first so many rows, or none at all. */
export interface Stack { row: number; shown: number[]; above: Uint32Array | null }

export interface Slash { open: boolean; names: string[]; selected: number }
export interface VsCode { postMessage(message: unknown): void; getState(): unknown; setState(state: unknown): void }

declare global {
  function acquireVsCodeApi(): VsCode;
}
