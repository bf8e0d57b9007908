/** Small documents around the thing that a case is about. */

/** A model of these sections. */
export const model = (inner: string) => `<mujoco>${inner}</mujoco>`
/** A model of this in its world body. */
export const world = (inner: string) => model(`<worldbody>${inner}</worldbody>`)
/** A model of these assets. */
export const asset = (inner: string) => model(`<asset>${inner}</asset>`)
/** A model of these custom fields. */
export const custom = (inner: string) => model(`<custom>${inner}</custom>`)
/** A model of one sphere with these attributes. */
export const geom = (attributes: string) => world(`<geom size=".1" ${attributes}/>`)
/** A model of one cable. */
export const cable = (attributes: string) =>
  world(`<composite type="cable" count="4 1 1" size="1" ${attributes}><geom type="capsule" size=".01"/></composite>`)
/** A model of one flexcomp grid in a body. */
export const flexcomp = (attributes: string, inner = '') =>
  world(
    `<body name="b"><flexcomp name="f" type="grid" count="3 3 1" spacing=".1 .1 .1" ${attributes}>${inner}</flexcomp></body>`,
  )
/** A model of this actuator, with a joint "j" and a site "s" to act on. */
export const actuator = (inner: string) =>
  model(
    `<worldbody><site name="s"/><body><joint name="j"/><geom size=".1"/></body></worldbody><actuator>${inner}</actuator>`,
  )
