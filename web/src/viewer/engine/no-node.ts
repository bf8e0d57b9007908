/** In place of Node's `module`, which the loader of MuJoCo imports where it runs in Node: never in a browser. */

export function createRequire(): never {
  throw new Error('A browser has no modules of Node.')
}
