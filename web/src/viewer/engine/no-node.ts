/**
 * In place of Node's `module`, which the loader of MuJoCo imports where it runs in Node, and of its `fs`, which the
 * rules for secrets try: never in a browser.
 */

export function createRequire(): never {
  throw new Error('A browser has no modules of Node.')
}
