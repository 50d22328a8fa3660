/** A compiled program. */
export type WasmModule = { readonly kind?: "module" };

type WasmMemory = { readonly buffer: ArrayBuffer };
type WasmExports = { memory: WasmMemory; _start: () => void };
type SystemCall = (...args: never[]) => unknown;

/** The part of WebAssembly that is used here: TypeScript has its types among the browser's only, which are not ours. */
export const wasm = (globalThis as unknown as { WebAssembly: WebAssemblyPart }).WebAssembly;

type WebAssemblyPart = {
  Module: new (bytes: Uint8Array) => WasmModule;
  Instance: new (
    module: WasmModule,
    imports: Record<string, Record<string, SystemCall>>,
  ) => { readonly exports: WasmExports };
};
