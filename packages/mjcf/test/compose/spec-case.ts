/** A model, and what it is once its copies are made. */
export interface SpecCase {
  readonly rule: string
  /** The content of `<mujoco>`. */
  readonly main: string
  /** Other files, complete. */
  readonly files?: Readonly<Record<string, string>>
  /** `name:type` of each joint, `:type` where unnamed; null if MuJoCo rejects the model. */
  readonly joints: readonly string[] | null
  readonly keyframes?: readonly (string | null)[]
  readonly base?: 'fixed' | 'floating'
  readonly bodies?: readonly string[]
  readonly actuators?: readonly string[]
}

/** A world with these elements in it. */
export const world = (inner: string) => `<worldbody>${inner}</worldbody>`

/** A body with mass and other content. */
export const body = (name: string, inner = '', attributes = '') =>
  `<body ${name === '' ? '' : `name="${name}"`} ${attributes}><geom size=".1"/>${inner}</body>`

/** A joint of that name. */
export const joint = (name: string, attributes = '') => `<joint name="${name}" ${attributes}/>`

/** The model asset "c" in the file c.xml. */
export const childAsset = '<asset><model name="c" file="c.xml"/></asset>'

/** A model of its own with a slide joint "cj" in a body "cb", by its default class. */
export const child = (more = '') =>
  `<mujoco model="child"><default><joint type="slide"/><default class="q"><joint type="ball"/></default></default>${more}${world(body('cb', joint('cj')))}</mujoco>`
