/** The build of the pages: one entry, a chunk a page, hashed names. `scripts/web-pages.ts` runs it. */
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/** Of a file of a package. */
const bytesOf = (name: string): number => statSync(createRequire(import.meta.url).resolve(name)).size

/** How long plugins take says how busy the machine is. */
const checks = { pluginTimings: false }

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  // It is sent compressed, so no header has the bytes that a page counts.
  define: {
    MUJOCO_BYTES: bytesOf('@mujoco/mujoco/mujoco.wasm'),
    ONNX_BYTES: bytesOf('onnxruntime-web/ort-wasm-simd-threaded.wasm'),
  },
  resolve: {
    alias: {
      // MuJoCo's loader imports it where it runs in Node.
      module: fileURLToPath(new URL('./src/viewer/engine/no-node.ts', import.meta.url)),
      // The rules for secrets take a file's name by the one, and where there are files look into them by the other.
      'node:fs': fileURLToPath(new URL('./src/viewer/engine/no-node.ts', import.meta.url)),
      'node:path': fileURLToPath(new URL('./src/pages/repos/upload/secrets/node-path.ts', import.meta.url)),
    },
  },
  publicDir: 'public',
  build: {
    outDir: fileURLToPath(new URL('../generated/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the pages allows no data: scripts and styles.
    assetsInlineLimit: 0,
    // The engine of the robot viewer is one file of megabytes, loaded by its page alone.
    chunkSizeWarningLimit: 4_000,
    rolldownOptions: { checks },
  },
  worker: { format: 'es', rolldownOptions: { checks } },
  // A page that imports the hub's own modules gets their TypeScript as they are.
  oxc: { jsx: { runtime: 'automatic' } },
  logLevel: 'warn',
})
