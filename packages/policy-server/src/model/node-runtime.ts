/** ONNX Runtime as Node has it. A page has its own part of the package, with the same binary. */

/** Loaded where it runs: most installations of the command line do without it. */
export const nodeRuntime = () => import('onnxruntime-web')
