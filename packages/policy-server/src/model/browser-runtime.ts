/** ONNX Runtime as a page has it: the part that is WebAssembly alone, with the binary that Node has too. */

/** Loaded once a policy is run: it has 14 MB. */
export const browserRuntime = () => import('onnxruntime-web/wasm')
