/** A rule of MuJoCo's compiler, and models that break and keep it: the content of `<mujoco>`. */
export interface RuleCase {
  readonly rule: string
  readonly refused: readonly string[]
  readonly accepted: readonly string[]
}

/** A model of a rule as a document. */
export function document(inner: string): string {
  return `<mujoco>${inner}</mujoco>`
}

/** A world with these elements in it. */
export const world = (inner: string) => `<worldbody>${inner}</worldbody>`

/** A body with mass and other content. */
export const body = (inner: string, attributes = '') => `<body ${attributes}><geom size=".1"/>${inner}</body>`

/** A world of one body with mass. */
export const onBody = (inner: string) => world(body(inner))
